"""CUDA source of kernels whose inline PTX covers what only sm_90a has: wgmma, mbarriers, bulk and tensor-map copies,
clusters, and every form of atomic."""


o=['#include <cstdint>','typedef unsigned u32; typedef unsigned long long u64;']
n=0
def k(body,args='u32*p,u64*q,u32 a,u32 b,u64 c,u64 d'):
    global n; n+=1
    o.append('extern "C" __global__ void h%d(%s){%s}'%(n,args,body))
A=lambda s,*ops: 'asm volatile("%s"%s);'%(s,(' '+' '.join(ops)) if ops else '')
# wgmma
def wg(shape,nregs,ty,dt,at,bt,areg,extra,K):
    r=','.join('%%%d'%i for i in range(nregs))
    if dt=='f32': init='float r[%d];'%nregs; cons='"+f"'
    else: init='u32 r[%d];'%nregs; cons='"+r"'
    outs=','.join('%s(r[%d])'%(cons,i) for i in range(nregs))
    if areg:
        ain='{%%%d,%%%d,%%%d,%%%d}'%tuple(nregs+i for i in range(4)); ins='"r"(a),"r"(b),"r"(a+1),"r"(b+1),"l"(d)'; b='%%%d'%(nregs+4)
    else:
        ain='%%%d'%nregs; ins='"l"(c),"l"(d)'; b='%%%d'%(nregs+1)
    s='%s{wgmma.fence.sync.aligned; { .reg .pred p; setp.ne.b32 p, %%%d, 0; wgmma.mma_async.sync.aligned.%s.%s.%s.%s {%s}, %s, %s, p%s; } wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;}'
    idx=nregs+(5 if areg else 2)
    body=init+'for(int i=0;i<%d;i++)r[i]=p[i*32+threadIdx.x];'%nregs+'asm volatile("wgmma.fence.sync.aligned;\\n { .reg .pred p; setp.ne.b32 p, %%%d, 0; wgmma.mma_async.sync.aligned.%s.%s.%s.%s {%s}, %s, %s, p%s; }\\n wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;":%s:%s,"r"(b));'%(idx,shape,dt,at,bt,r,ain,b,extra,outs,ins)+'for(int i=0;i<%d;i++)p[i*32+threadIdx.x]=r[i];'%nregs
    k(body)
for N in (8,16,64,128,256):
    for at in ('f16','bf16'):
        wg('m64n%dk16'%N,N//2,'','f32',at,at,False,',1,1,0,0',16)
        wg('m64n%dk16'%N,N//2,'','f32',at,at,True,',1,1,1',16)
wg('m64n64k16',32,'','f32','f16','f16',False,',1,1,1,1',16)
wg('m64n64k16',32,'','f32','f16','f16',False,',-1,1,1,0',16)
wg('m64n64k16',32,'','f32','f16','f16',False,',1,-1,0,1',16)
wg('m64n32k16',8,'','f16','f16','f16',False,',1,1,0,0',16)
wg('m64n32k16',8,'','f16','f16','f16',True,',1,1,0',16)
for N in (8,96): 
    wg('m64n%dk8'%N,N//2,'','f32','tf32','tf32',False,',1,1',8); wg('m64n%dk8'%N,N//2,'','f32','tf32','tf32',True,',1,-1',8)
    for at in('e4m3','e5m2'):
        for bt in('e4m3','e5m2'):
            wg('m64n%dk32'%N,N//2,'','f32',at,bt,False,',1,1',32); wg('m64n%dk32'%N,N//2,'','f32',at,bt,True,',1,1',32)
    wg('m64n%dk32'%N,N//4,'','f16','e4m3','e4m3',False,',1,1',32)
    for at in('s8','u8'):
        for bt in('s8','u8'):
            wg('m64n%dk32'%N,N//2,'','s32',at,bt,False,'',32); wg('m64n%dk32'%N,N//2,'','s32.satfinite'[:3],at,bt,True,'',32)
    wg('m64n%dk256'%N,N//2,'','s32','b1','b1.and.popc',False,'',256) if 0 else None
# mbarrier etc
for s in ['mbarrier.init.shared.b64 [%0], %1;','mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;','mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;']:
    k(A(s,':','"+r"(a)' if 0 else '',':"r"(a),"r"(b)').replace(':  :','::').replace(' :  :',' ::'))
k('asm volatile("mbarrier.inval.shared.b64 [%0];"::"r"(a));')
k('u64 t;asm volatile("mbarrier.arrive.shared.b64 %0,[%1];":"=l"(t):"r"(a));q[0]=t;asm volatile("mbarrier.arrive.shared.b64 %0,[%1],%2;":"=l"(t):"r"(a),"r"(b));q[1]=t;asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0,[%1],%2;":"=l"(t):"r"(a),"r"(b));q[2]=t;')
k('asm volatile("mbarrier.arrive.shared.b64 _,[%0];"::"r"(a));asm volatile("mbarrier.arrive.shared.b64 _,[%0],5;"::"r"(a+8));asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],%1;"::"r"(a+16),"r"(b));asm volatile("mbarrier.arrive.noComplete.shared.b64 %0,[%1],3;":"=l"(c):"r"(a));q[0]=c;')
k('asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%0];"::"r"(a));asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%0],%1;"::"r"(a+8),"r"(b));asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _,[%0],%1;"::"r"(a+16),"r"(b));')
for w in ('test_wait','try_wait'):
    for pr in ('','.parity'):
        for ty,cs in (('',''),('.acquire.cluster','')):
            src='"r"(b)' if pr else '"l"(c)'
            k('u32 r;asm volatile("{.reg .pred p; mbarrier.%s%s%s.shared.b64 p,[%%1],%%2; selp.u32 %%0,1,0,p;}":"=r"(r):"r"(a),%s);p[0]=r;'%(w,pr,ty,src))
k('u32 r;asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p,[%1],%2,%3; selp.u32 %0,1,0,p;}":"=r"(r):"r"(a),"r"(b),"r"(100));p[0]=r;')
k('asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p,[%0],%1; @!p bra L;}"::"r"(a),"r"(b));p[0]=1;')
k('u64 t; asm volatile("mbarrier.pending_count.b64 %0,%1;":"=r"(a):"l"(c));p[0]=a;')
k('asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];"::"r"(a));asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];"::"r"(a+8));')
# cp.async
k('asm volatile("cp.async.ca.shared.global [%0],[%1],4;"::"r"(a),"l"(c));asm volatile("cp.async.ca.shared.global [%0],[%1],8;"::"r"(a+16),"l"(c+64));asm volatile("cp.async.ca.shared.global.L2::128B [%0],[%1],16;"::"r"(a+32),"l"(c+128));asm volatile("cp.async.cg.shared.global.L2::256B [%0],[%1],16,%2;"::"r"(a+48),"l"(c+256),"r"(b));asm volatile("cp.async.commit_group;");asm volatile("cp.async.wait_group 1;");asm volatile("cp.async.wait_all;");')
# bulk
k('asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];"::"r"(a),"l"(c),"r"(b),"r"(a+64));')
k('asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0],[%1],%2,[%3],%4;"::"r"(a),"l"(c),"r"(b),"r"(a+64),"h"((short)3));')
k('asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];"::"r"(a),"r"(a+512),"r"(b),"r"(a+64));')
k('asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;"::"l"(c),"r"(a),"r"(b));asm volatile("cp.async.bulk.commit_group;");asm volatile("cp.async.bulk.wait_group 1;");asm volatile("cp.async.bulk.wait_group.read 0;");')
k('asm volatile("cp.async.bulk.prefetch.L2.global [%0],%1;"::"l"(c),"r"(b));')
for op,ty in (('add','u32'),('min','s32'),('max','u64'),('inc','u32'),('and','b32'),('or','b64'),('xor','b32'),('add','f32'),('add','f64'),('add.noftz','f16'),('add.noftz','bf16')):
    k('asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.%s.%s [%%0],[%%1],%%2;"::"l"(c),"r"(a),"r"(b));'%(op,ty))
k('asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0],[%1],%2,[%3];"::"r"(a),"r"(a+512),"r"(b),"r"(a+64));')
for d in range(1,6):
    co='{'+','.join(['%3']*d)+'}'
    k('asm volatile("cp.async.bulk.tensor.%dd.shared::cluster.global.mbarrier::complete_tx::bytes [%%0],[%%1,%s],[%%2];"::"r"(a),"l"(c),"r"(a+64),"r"(b));'%(d,co))
    k('asm volatile("cp.async.bulk.tensor.%dd.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%%0],[%%1,%s],[%%2],%%4;"::"r"(a),"l"(c),"r"(a+64),"r"(b),"h"((short)5));'%(d,co))
    co='{'+','.join(['%2']*d)+'}'
    k('asm volatile("cp.async.bulk.tensor.%dd.global.shared::cta.bulk_group [%%1,%s],[%%0];"::"r"(a),"l"(c),"r"(b));'%(d,co))
    k('asm volatile("cp.reduce.async.bulk.tensor.%dd.global.shared::cta.%s.bulk_group [%%1,%s],[%%0];"::"r"(a),"l"(c),"r"(b));'%(d,['add','min','max','and','xor'][d-1],co))
    k('asm volatile("cp.async.bulk.prefetch.tensor.%dd.L2.global [%%1,%s];"::"r"(a),"l"(c),"r"(b));'%(d,co))
for d in (3,4,5):
    co='{'+','.join(['%3']*d)+'}'; of='{'+','.join(['%4']*(d-2))+'}'
    k('asm volatile("cp.async.bulk.tensor.%dd.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%%0],[%%1,%s],[%%2],%s;"::"r"(a),"l"(c),"r"(a+64),"r"(b),"h"((short)2));'%(d,co,of))
k('asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0],[%1,{%3,%3}],[%2],%4;"::"r"(a),"l"(c),"r"(a+64),"r"(b),"l"(d));')
k('asm volatile("prefetch.tensormap [%0];"::"l"(c));asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0],128;"::"l"(c));')
k('asm volatile("fence.proxy.async;");asm volatile("fence.proxy.async.global;");asm volatile("fence.proxy.async.shared::cta;");asm volatile("fence.proxy.alias;");asm volatile("fence.mbarrier_init.release.cluster;");asm volatile("fence.acq_rel.cluster;");asm volatile("fence.sc.cluster;");')
k('asm volatile("barrier.cluster.arrive;");asm volatile("barrier.cluster.wait;");asm volatile("barrier.cluster.arrive.relaxed;");asm volatile("barrier.cluster.wait.acquire;");')
k('u32 r;asm volatile("mapa.shared::cluster.u32 %0,%1,%2;":"=r"(r):"r"(a),"r"(b));p[0]=r;u32 v;asm volatile("ld.shared::cluster.u32 %0,[%1];":"=r"(v):"r"(r));p[1]=v;asm volatile("st.shared::cluster.u32 [%0],%1;"::"r"(r),"r"(b));asm volatile("atom.shared::cluster.add.u32 %0,[%1],%2;":"=r"(v):"r"(r),"r"(b));p[2]=v;asm volatile("red.shared::cluster.add.u32 [%0],%1;"::"r"(r),"r"(b));asm volatile("getctarank.shared::cluster.u32 %0,%1;":"=r"(v):"r"(r));p[3]=v;')
k('asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0],%1,[%2];"::"r"(a),"r"(b),"r"(a+8));asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0],{%1,%1,%1,%1},[%2];"::"r"(a),"r"(b),"r"(a+8));asm volatile("red.async.relaxed.cluster.global.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0],%1,[%2];"::"r"(a),"r"(b),"r"(a+8));' .replace('.global.shared','.shared'))
for w in ('cluster_ctaid.x','cluster_ctaid.y','cluster_nctaid.x','clusterid.x','nclusterid.x','cluster_ctarank','cluster_nctarank','is_explicit_cluster','smid','nsmid','warpid','nwarpid','laneid','gridid','lanemask_lt','lanemask_ge','dynamic_smem_size','total_smem_size','globaltimer_hi','clock_hi','envreg3','aggr_smem_size'):
    if w=='is_explicit_cluster': k('u32 r;asm volatile("{.reg .pred p; mov.pred p,%%is_explicit_cluster; selp.u32 %0,1,0,p;}":"=r"(r));p[0]=r;')
    elif w=='gridid': k('u64 r;asm volatile("mov.u64 %%0,%%%%%s;":"=l"(r));q[0]=r;'%w)
    else: k('u32 r;asm volatile("mov.u32 %%0,%%%%%s;":"=r"(r));p[0]=r;'%w)
k('u32 r;asm volatile("{.reg .pred p; elect.sync %0|p, 0xffffffff; @p st.global.u32 [%1],%0;}":"=r"(r):"l"(p));p[1]=r;')
k('asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");p[0]=a;')
k('asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");p[0]=a;')
k('asm volatile("griddepcontrol.launch_dependents;");asm volatile("griddepcontrol.wait;");p[0]=a;')
for x in ('x1','x2','x4'):
    for t in ('','.trans'):
        r={'x1':'{%1}','x2':'{%1,%2}','x4':'{%1,%2,%3,%4}'}[x]
        k('asm volatile("stmatrix.sync.aligned.m8n8.%s%s.shared.b16 [%%0],%s;"::"r"(a),"r"(b),"r"(b+1),"r"(b+2),"r"(b+3));'%(x,t,r))
k('asm volatile("barrier.sync 3;");asm volatile("barrier.sync %0,%1;"::"r"(a),"r"(b));asm volatile("barrier.arrive %0,64;"::"r"(a));asm volatile("barrier.arrive 5,%0;"::"r"(b));asm volatile("bar.warp.sync %0;"::"r"(b));asm volatile("barrier.sync.aligned %0,128;"::"r"(a));u32 r;asm volatile("{.reg .pred p,q; setp.eq.u32 p,%1,3; barrier.red.popc.aligned.u32 %0,2,64,p;}":"=r"(r):"r"(b));p[0]=r;asm volatile("{.reg .pred p,q; setp.eq.u32 p,%1,3; barrier.red.and.pred q,%1,64,p; selp.u32 %0,1,0,q;}":"=r"(r):"r"(b));p[1]=r;')
k('asm volatile("multimem.red.global.add.u32 [%0],%1;"::"l"(c),"r"(b));asm volatile("multimem.ld_reduce.global.add.u32 %0,[%1];":"=r"(a):"l"(c));p[0]=a;asm volatile("multimem.st.global.u32 [%0],%1;"::"l"(c),"r"(b));')
k('asm volatile("discard.global.L2 [%0],128;"::"l"(c));asm volatile("applypriority.global.L2::evict_normal [%0],128;"::"l"(c));asm volatile("prefetchu.L1 [%0];"::"l"(c));asm volatile("prefetch.global.L1 [%0];"::"l"(c));asm volatile("prefetch.global.L2::evict_last [%0];"::"l"(c));asm volatile("createpolicy.fractional.L2::evict_first.b64 %0,1.0;":"=l"(d));asm volatile("ld.global.L2::cache_hint.u32 %0,[%1],%2;":"=r"(a):"l"(c),"l"(d));p[0]=a;asm volatile("ld.global.L1::no_allocate.L2::128B.v4.u32 {%0,%0,%0,%0},[%1];":"=r"(a):"l"(c));p[2]=a;asm volatile("ld.global.L1::evict_last.L2::64B.u32 %0,[%1];":"=r"(a):"l"(c+4));p[1]=a;asm volatile("st.global.L1::evict_first.u32 [%0],%1;"::"l"(c),"r"(a));asm volatile("ld.global.relaxed.gpu.u32 %0,[%1];":"=r"(a):"l"(c+8));p[3]=a;asm volatile("ld.acquire.sys.global.u32 %0,[%1];":"=r"(a):"l"(c+12));p[4]=a;asm volatile("st.release.cta.global.u32 [%0],%1;"::"l"(c),"r"(a));asm volatile("ld.mmio.relaxed.sys.global.u32 %0,[%1];":"=r"(a):"l"(c+16));p[5]=a;asm volatile("ld.relaxed.cluster.global.u32 %0,[%1];":"=r"(a):"l"(c+20));p[6]=a;')
for t in ('u32','s32','u64','s64','b32','b64','f32','f64','f16x2','bf16x2','b128'):
    cons={'u32':'r','s32':'r','b32':'r','u64':'l','s64':'l','b64':'l','f32':'f','f64':'d','f16x2':'r','bf16x2':'r'}.get(t)
    if not cons: continue
    ty={'r':'u32','l':'u64','f':'float','d':'double'}[cons]
    ops={'u32':['add','min','max','inc','dec','exch'],'s32':['add','min','max'],'b32':['and','or','xor','exch'],'u64':['add','min','max'],'s64':['min','max'],'b64':['and','or','xor','exch'],'f32':['add'],'f64':['add'],'f16x2':['add.noftz','min.noftz','max.noftz'],'bf16x2':['add.noftz','min.noftz','max.noftz']}[t]
    for sp in ('global','shared',''):
        for op in ops:
            if op=='exch' and t[0]=='u': continue
            if sp=='shared' and t in('f16x2','bf16x2'): continue
            if op[:3] in('min','max') and t in('f16x2','bf16x2'): continue
            for scope in ('.gpu','.cta','.sys'):
                s='.'+sp if sp else ''
                addr='"r"(a)' if sp=='shared' else '"l"(c)'
                k('%s r,v=((%s*)q)[threadIdx.x];asm volatile("atom.relaxed%s%s.%s.%s %%0,[%%1],%%2;":"=%s"(r):%s,"%s"(v));((%s*)q)[threadIdx.x+9]=r;%s'%(ty,ty,scope,s,op,t,cons,addr,cons,ty,('asm volatile("red.relaxed%s%s.%s.%s [%%0],%%1;"::%s,"%s"(v));'%(scope,s,op,t,addr,cons)) if op not in('exch',) else ''))
k('asm volatile("{.reg .b128 x,y,z; mov.b128 y,{%0,%1}; atom.global.exch.b128 x,[%2],y; atom.global.cas.b128 z,[%2],x,y; mov.b128 {%0,%1},z;}":"+l"(c),"+l"(d):"l"(q));q[1]=c;q[2]=d;')
k('asm volatile("{.reg .b128 x; ld.relaxed.gpu.global.b128 x,[%2]; mov.b128 {%0,%1},x;}":"+l"(c),"+l"(d):"l"(q));q[1]=c;q[2]=d;')
k('float f=p[0],g=p[1],h;asm volatile("atom.global.v2.f32.add {%0,%1},[%2],{%0,%1};":"+f"(f),"+f"(g):"l"(q));q[3]=f+g;asm volatile("red.global.v4.f32.add [%0],{%1,%2,%1,%2};"::"l"(q+16),"f"(f),"f"(g));asm volatile("red.global.v4.f16x2.add.noftz [%0],{%1,%1,%1,%1};"::"l"(q+32),"r"(a));')
o.append('''extern "C" __global__ void __launch_bounds__(384,1) pools(float*p){int w=threadIdx.x/128;if(w==0){asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");p[threadIdx.x]=1;}else{asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");float r[64];for(int i=0;i<64;i++)r[i]=p[i*7+threadIdx.x];for(int j=0;j<5;j++)for(int i=0;i<64;i++)r[i]=r[i]*r[(i+j)&63];for(int i=0;i<64;i++)p[i*9+threadIdx.x]=r[i];}asm volatile("pmevent 3;");}''')


def source():
    return '\n'.join(o) + '\n'

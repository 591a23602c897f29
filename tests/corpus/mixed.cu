#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <math.h>
namespace cg = cooperative_groups;
typedef unsigned long long u64; typedef long long s64; typedef unsigned u32;
#define K extern "C" __global__ void
K iops(int*o,const int*a,const int*b,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;int x=a[i],y=b[i];
 o[i]=x+y*3; o[i+n]=x*y-7; o[i+2*n]=(x<<(y&31))^(y>>3); o[i+3*n]=__popc(x)+__clz(y)+__ffs(x)+__brev(y); o[i+4*n]=min(x,y)+max(x,3)+abs(x);
 o[i+5*n]=x/y; o[i+6*n]=x%y; o[i+7*n]=(u32)x/(u32)y; o[i+8*n]=__mulhi(x,y)+__umulhi(x,y); o[i+9*n]=__byte_perm(x,y,n); o[i+10*n]=__funnelshift_l(x,y,n)+__funnelshift_r(x,y,3);
 o[i+11*n]=__dp4a(x,y,n)+__vabsdiffu4(x,y)+__sad(x,y,n)+__vadd2(x,y)+__vminu2(x,y)+__vmaxs4(x,y); o[i+12*n]=max(min(x+y,n),0);
}
K i64(s64*o,const s64*a,const s64*b,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;s64 x=a[i],y=b[i];
 o[i]=x+y; o[i+n]=x*y; o[i+2*n]=x<<n; o[i+3*n]=x>>n; o[i+4*n]=(u64)x>>n; o[i+5*n]=x/y; o[i+6*n]=(u64)x%(u64)y; o[i+7*n]=x<y?x:y; o[i+8*n]=(u64)x<(u64)y; o[i+9*n]=__mul64hi(x,y); o[i+10*n]=__umul64hi(x,y); o[i+11*n]=__popcll(x)+__clzll(y); o[i+12*n]=-x; o[i+13*n]=x&y; o[i+14*n]=x-y;}
K f32(float*o,const float*a,const float*b,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;float x=a[i],y=b[i];
 o[i]=x+y; o[i+n]=x*y; o[i+2*n]=fmaf(x,y,1.5f); o[i+3*n]=x/y; o[i+4*n]=sqrtf(x); o[i+5*n]=rsqrtf(y); o[i+6*n]=sinf(x); o[i+7*n]=expf(y); o[i+8*n]=logf(x); o[i+9*n]=powf(x,y); o[i+10*n]=fminf(x,y); o[i+11*n]=fmaxf(x,1.f); o[i+12*n]=tanhf(x); o[i+13*n]=erff(x); o[i+14*n]=__sinf(x)+__cosf(y)+__expf(x)+__logf(y)+__fdividef(x,y); o[i+15*n]=__fadd_rz(x,y)+__fmul_ru(x,y)+__fmaf_rd(x,y,x); o[i+16*n]=floorf(x)+ceilf(y)+truncf(x)+rintf(y)+roundf(x); o[i+17*n]=(float)(int)x+(float)(u32)y; o[i+18*n]=__saturatef(x); o[i+19*n]=x<y?x:fabsf(y); o[i+20*n]=x!=y; o[i+21*n]=copysignf(x,y); o[i+22*n]=cbrtf(x)+lgammaf(y); o[i+23*n]=isnan(x); o[i+24*n]=INFINITY*x; o[i+25*n]=fmodf(x,y);}
K f64(double*o,const double*a,const double*b,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;double x=a[i],y=b[i];
 o[i]=x+y; o[i+n]=x*y; o[i+2*n]=fma(x,y,1.5); o[i+3*n]=x/y; o[i+4*n]=sqrt(x); o[i+5*n]=rsqrt(y); o[i+6*n]=sin(x); o[i+7*n]=exp(y); o[i+8*n]=log(x); o[i+9*n]=pow(x,y); o[i+10*n]=fmin(x,y); o[i+11*n]=fmax(x,1.); o[i+12*n]=(double)(s64)x+(double)(int)y+(double)(float)x; o[i+13*n]=floor(x)+rint(y); o[i+14*n]=x<y; o[i+15*n]=__dadd_rz(x,y);}
K cvt(char*o8,short*o16,const float*a,const double*d,const s64*l,float*of,u64*ou,__half*oh,__nv_bfloat16*ob){int i=threadIdx.x;float x=a[i];
 o8[i]=(char)x;o16[i]=(short)d[i];of[i]=(float)l[i];ou[i]=(u64)x;ou[i+1]=(u64)d[i];oh[i]=__float2half(x);oh[i+9]=__double2half(d[i]);ob[i]=__float2bfloat16(x);of[i+9]=__half2float(oh[i+3]);of[i+8]=__bfloat162float(ob[i+3]);o16[i+7]=__half2short_rn(oh[i]);of[i+77]=o8[i+3];of[i+78]=((unsigned char*)o8)[i+4];of[i+79]=o16[i+4];oh[i+90]=__int2half_rn(o16[i]);of[i+5]=(float)d[i];of[i+100]=(float)(u64)l[i]; o8[i+1]=(unsigned char)l[i];}
K h2(__half2*o,const __half2*a,const __half2*b,int n){int i=threadIdx.x;__half2 x=a[i],y=b[i];o[i]=__hadd2(x,y);o[i+n]=__hmul2(x,y);o[i+2*n]=__hfma2(x,y,x);o[i+3*n]=__hmin2(x,y);o[i+4*n]=__hmax2(x,y);o[i+5*n]=h2exp(x);o[i+6*n]=__h2div(x,y);o[i+7*n]=__hgt2(x,y);o[i+8*n]=__hbeq2(x,y)?x:y;o[i+9*n]=__hfma2_sat(x,y,__float2half2_rn(0.5f));o[i+10*n]=h2sqrt(x);o[i+11*n]=__hfma2_relu(x,y,x);o[i+12*n]=__hneg2(x);o[i+13*n]=__habs2(y);o[i+14*n]=__hsub2(x,y);o[i+15*n]=__lows2half2(x,y);o[i+16*n]=__halves2half2(__hadd(__low2half(x),__high2half(y)),__hmul(__high2half(x),__low2half(y)));o[i+17*n]=h2tanh(x);}
#if __CUDA_ARCH__>=800
K b2(__nv_bfloat162*o,const __nv_bfloat162*a,const __nv_bfloat162*b,int n){int i=threadIdx.x;__nv_bfloat162 x=a[i],y=b[i];o[i]=__hadd2(x,y);o[i+n]=__hmul2(x,y);o[i+2*n]=__hfma2(x,y,x);o[i+3*n]=__hmin2(x,y);o[i+4*n]=__hmax2(x,y);o[i+7*n]=__hgt2(x,y);o[i+8*n]=__hbeq2(x,y)?x:y;}
#endif
K atom(int*p,u32*u,u64*l,float*f,double*d,__half2*h,int v){__shared__ int s[64];__shared__ float sf[9];__shared__ u64 sl[9];int i=threadIdx.x;s[i]=0;__syncthreads();
 atomicAdd(s+v,v);atomicMax(s,v);s[3]=atomicCAS(s+4,v,i);atomicAdd(sf,1.f*v);atomicExch(s+9,v);atomicAdd(sl+1,(u64)v);atomicInc((u32*)s+5,v);atomicAdd(s+7,1);
 p[i]=atomicAdd(p+i+1000,v);atomicAdd(p,v);p[i+1]=atomicCAS(p+7,v,i);p[i+2]=atomicExch(p+2,v);atomicMin(u,v);u[2]=atomicInc(u+1,v);u[3]=atomicDec(u+1,v);atomicAnd(u,v);atomicOr(u,v);atomicXor(u,v);l[2]=atomicAdd(l,(u64)v);l[3]=atomicCAS(l+9,(u64)v,(u64)i);atomicMax((s64*)l,(s64)v);f[1]=atomicAdd(f,1.f*v);atomicAdd(f,2.f);atomicAdd(d,1.*v);d[4]=atomicAdd(d+3,2.);atomicAdd(h,__float2half2_rn(1.f));atomicAdd_system(p+5,v);atomicAdd_block(p+6,v);
 __threadfence();__threadfence_block();__threadfence_system();__syncthreads();p[55+i]=s[i]+sf[1]+sl[1];}
K warp(int*o,const int*a,u64*q,int n){int i=threadIdx.x;int x=a[i];o[i]=__shfl_sync(~0u,x,n);o[i+n]=__shfl_up_sync(~0u,x,1);o[i+2*n]=__shfl_down_sync(~0u,x,2,16);o[i+3*n]=__shfl_xor_sync(~0u,x,4);o[i+4*n]=__ballot_sync(~0u,x>0);o[i+5*n]=__any_sync(~0u,x);o[i+6*n]=__all_sync(~0u,x>3);o[i+7*n]=__activemask();o[i+8*n]=__match_any_sync(~0u,x);int p;o[i+9*n]=__match_all_sync(~0u,x,&p)+p;q[i]=__match_any_sync(~0u,q[i]);
#if __CUDA_ARCH__>=800
o[i+10*n]=__reduce_add_sync(~0u,x);o[i+11*n]=__reduce_min_sync(~0u,x)+__reduce_or_sync(~0u,x);
#endif
__syncwarp(n);o[i+12*n]=__syncthreads_count(x)+__syncthreads_and(x)+__syncthreads_or(x>4);if(x>7){o[i+13*n]=__shfl_sync(n,x,3);}__nanosleep(n);}
K loc(int*o,const int*a,int n){int t[32];for(int i=0;i<32;i++)t[i]=a[i]*i;for(int i=0;i<n;i++)t[(a[i])&31]+=t[i&31]*3;o[0]=t[n&31];short u[16];for(int i=0;i<16;i++)u[i]=a[i+1];o[1]=u[n&15];}
__constant__ int ct[128];__constant__ double cd[8];
K sw(int*o,const int*a,int n){int i=threadIdx.x;switch(a[i]){case 0:o[i]=3;break;case 1:o[i]=sinf(n);break;case 2:o[i+1]=n*5;break;case 3:o[i]=a[n];break;case 4:o[n]=7;break;case 5:o[i]=n/3;break;case 6:o[i+4]=n%7;break;default:o[i]=ct[a[i]&127];}o[n+i]=cd[i&7];}
__device__ __noinline__ int rec(int n,int k){if(n<k)return n;return rec(n-1,k)+rec(n-2,k+1);}
K call(int*o,int n){o[0]=rec(n,1);}
typedef int(*fp)(int);__device__ int g1(int x){return x*3;}__device__ int g2(int x){return x+9;}__device__ fp tab[2]={g1,g2};
K ind(int*o,int n){o[0]=tab[n](n);}
K coop(int*o,const int*a){cg::grid_group g=cg::this_grid();o[g.thread_rank()]=a[g.thread_rank()];g.sync();auto w=cg::coalesced_threads();if(a[threadIdx.x]>4){auto c=cg::coalesced_threads();o[3]=c.shfl(a[9],2);c.sync();o[c.thread_rank()]=c.size();}auto t=cg::tiled_partition<8>(cg::this_thread_block());o[t.meta_group_rank()]=t.shfl_down(a[3],1);}
K cache(int*o,const int*__restrict__ a,int n,u64*t){int i=threadIdx.x;extern __shared__ int ds[];o[i]=__ldcg(a+i)+__ldca(a+i+1)+__ldcs(a+i+n)+__ldlu(a+i+4)+__ldcv(a+i+7)+__ldg(a+i+9);__stcg(o+i,3);__stcs(o+i+9,4);__stwt(o+i+99,5);volatile int*v=o;v[i+3]=v[i+8];t[0]=clock64();t[1]=clock();u32 g;asm volatile("mov.u32 %0,%%globaltimer_lo;":"=r"(g));o[n+3]=g;ds[i]=n;__syncthreads();o[i+2]=ds[n-i];asm volatile("prefetch.global.L2 [%0];"::"l"(a+n));asm volatile("bar.sync 1,64;");asm volatile("bar.arrive 2,64;");__trap();}
K vec(float4*o,const float4*a,double2*d,const uchar4*c,short2*s){int i=threadIdx.x;float4 x=a[i];x.x+=x.y;o[i]=x;d[i]=d[i+4];s[i].x=c[i].x+c[i].y+((char*)c)[i];((char*)s)[i+9]=c[i].z;((short*)s)[i*3+1]=((unsigned short*)c)[i];extern __shared__ float4 sh[];sh[i]=x;__syncthreads();o[i+3]=sh[i^1];}
K spin(int*l,int*o){while(atomicCAS(l,0,1)!=0);o[0]++;__threadfence();atomicExch(l,0);}
K gen(int*p,int*o,int n){__shared__ int s[32];int*q=n>3?s+n:p;*q=n;__syncthreads();o[n]=*(q+1);o[1]=__isShared(q);o[2]=__isGlobal(q)+__isLocal(q)+__isConstant(q);atomicAdd(q,2);o[7]=atomicAdd(q+3,n);o[6]=atomicCAS(q+2,n,4);}

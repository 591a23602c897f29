"""CUDA sources for the listing corpus: many small kernels, types by operations, written here so that every
instruction of the stored listings comes from code of our own."""

HEAD = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <math.h>
namespace cg = cooperative_groups;
typedef signed char s8; typedef unsigned char u8; typedef short s16; typedef unsigned short u16;
typedef int s32; typedef unsigned u32; typedef long long s64; typedef unsigned long long u64; typedef __int128 i128;
typedef __half f16; typedef __nv_bfloat16 bf16;
#define K(name) extern "C" __global__ void name
#define TID (blockIdx.x * blockDim.x + threadIdx.x)
"""
INTS = ["s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"]


def integers():
    out = [HEAD]
    for t in INTS:
        out.append(f"""
K(arith_{t})({t}*o,const {t}*a,const {t}*b,{t} p,{t} q){{int i=TID;{t} x=a[i],y=b[i];o[i]=x+y*p;o[i+1]=x*y-q;o[i+2]=(x-p)*({t})7+y;
 o[i+3]=x<y?x:y;o[i+4]=x>p?x:p;o[i+5]=(x&y)|(~x^q);o[i+6]=({t})(x<<(y&7));o[i+7]=x>>(y&7);o[i+8]=x>>3;o[i+9]=-x;o[i+10]=x==y?p:q;}}
K(divide_{t})({t}*o,const {t}*a,const {t}*b,{t} p){{int i=TID;{t} x=a[i],y=b[i];o[i]=x/y;o[i+1]=x%y;o[i+2]=x/p;o[i+3]=x/({t})10;o[i+4]=x%({t})100;o[i+5]=x/({t})8;}}
K(compare_{t})(int*o,const {t}*a,const {t}*b,{t} p){{int i=TID;{t} x=a[i],y=b[i];o[i]=(x<y)+2*(x<=p)+4*(x>3)+8*(x>=y)+16*(x==p)+32*(x!=5);
 if(x<y&&y<p||x==p)o[i+1]=x;else if(!(x>=p&&y>2))o[i+2]=y;o[i+3]=(x<y)!=(y<p);bool c=x<p;bool d=y>p;o[i+4]=c^d?x:y;}}
K(loop_{t})({t}*o,const {t}*a,int n,{t} p){{{t} s=0;for(int i=TID;i<n;i+=gridDim.x*blockDim.x){{{t} v=a[i];s+=v*p;if(v&1)s^=v;}}o[TID]=s;}}
K(bits_{t})({t}*o,const {t}*a,int n){{int i=TID;u64 x=a[i];o[i]=__popcll(x);o[i+1]=__clz((int)x);o[i+2]=__ffs((int)x);o[i+3]=__brev((u32)x);o[i+4]=__clzll(x);o[i+5]=__ffsll(x);o[i+6]=__brevll(x);o[i+7]=(x>>n)|(x<<(64-n));o[i+8]=(x>>4)&0xff;o[i+9]=x&-x;}}""")
    out.append("""
K(i128_ops)(i128*o,const i128*a,const i128*b,int n){int i=TID;i128 x=a[i],y=b[i];o[i]=x+y;o[i+1]=x*y;o[i+2]=x<<n;o[i+3]=x>>n;o[i+4]=x<y?x:y;o[i+5]=-x;o[i+6]=x-y;}
K(i128_div)(i128*o,const i128*a,const i128*b){int i=TID;o[i]=a[i]/b[i];}
K(carry)(u32*o,const u32*a,const u32*b,int n){u32 c=0;for(int i=0;i<8;i++){u64 t=(u64)a[i]*b[n]+c+o[i];o[i]=t;c=t>>32;}o[8]=c;}
K(mul_wide)(s64*o,const int*a,const u32*b,int n){int i=TID;o[i]=(s64)a[i]*a[i+1];o[i+1]=(u64)b[i]*b[i+1]+o[i+5];o[i+2]=(s64)a[i]*n+o[i+6];o[i+3]=__mul64hi(o[i+7],o[i+8]);o[i+4]=__umul64hi(o[i+9],o[i+10]);}
K(simd)(u32*o,const u32*a,const u32*b,u32 c){int i=TID;u32 x=a[i],y=b[i];o[i]=__vadd2(x,y);o[i+1]=__vsub2(x,y);o[i+2]=__vadd4(x,y);o[i+3]=__vmaxs2(x,y);o[i+4]=__vminu4(x,y);o[i+5]=__vabsdiffs2(x,y);o[i+6]=__vcmpgtu4(x,y);o[i+7]=__vsads4(x,y);o[i+8]=__vavgu4(x,y);o[i+9]=__vnegss2(x);o[i+10]=__vseteq4(x,y);o[i+11]=__dp4a(x,y,c);o[i+12]=__dp4a((int)x,(int)y,(int)c);o[i+13]=__dp2a_lo((int)x,(int)y,(int)c);o[i+14]=__dp2a_hi(x,y,c);o[i+15]=__viaddmax_s32(x,y,c);o[i+16]=__viaddmin_u32(x,y,c);o[i+17]=__vimax_s32_relu(x,y);o[i+18]=__vimin3_s32(x,y,c);o[i+19]=__viaddmax_s16x2_relu(x,y,c);o[i+20]=__vabsdiffu4(x,y);o[i+21]=__usad(x,y,c);}
K(bytes)(u32*o,const u32*a,u32 s){int i=TID;u32 x=a[i],y=a[i+1];o[i]=__byte_perm(x,y,0x3210);o[i+1]=__byte_perm(x,y,0x5140);o[i+2]=__byte_perm(x,y,s);o[i+3]=__funnelshift_l(x,y,s);o[i+4]=__funnelshift_r(x,y,s);o[i+5]=__funnelshift_lc(x,y,s);o[i+6]=__funnelshift_rc(x,y,9);o[i+7]=(x<<11)|(x>>21);o[i+8]=(int)(x<<20)>>24;o[i+9]=__mulhi((int)x,(int)y)+__umulhi(x,y)+__mul24(x,y)+__umul24(x,s);o[i+10]=__rhadd(x,y)+__uhadd(x,y);}
""")
    return "\n".join(out)


F32_MATH = ("sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p sqrt rsqrt cbrt "
            "rcbrt erf erfc erfinv erfcinv erfcx normcdf normcdfinv tgamma lgamma j0 j1 y0 y1 sinpi cospi floor ceil trunc round "
            "rint logb cyl_bessel_i0 cyl_bessel_i1").split()
F32_TWO = "pow atan2 fmod remainder hypot copysign fmin fmax fdim nextafter".split()


def floats(double):
    t, suffix = ("double", "") if double else ("float", "f")
    out = [HEAD]
    for f in F32_MATH:
        out.append(f"K({t}_{f})({t}*o,const {t}*a){{int i=TID;o[i]={f}{suffix}(a[i]);}}")
    for f in F32_TWO:
        out.append(f"K({t}_{f})({t}*o,const {t}*a,const {t}*b){{int i=TID;o[i]={f}{suffix}(a[i],b[i]);}}")
    out.append(f"K({t}_sincos)({t}*o,const {t}*a){{int i=TID;{t} s,c;sincos{suffix}(a[i],&s,&c);o[i]=s*c;int e;o[i+1]=frexp{suffix}(a[i],&e)+e;o[i+2]=ldexp{suffix}(a[i],e);{t} w;o[i+3]=modf{suffix}(a[i],&w)+w;o[i+4]=ilogb{suffix}(a[i])+lrint{suffix}(a[i])+llround{suffix}(a[i]);int q;o[i+5]=remquo{suffix}(a[i],a[i+1],&q)+q;}}")
    out.append(f"K({t}_norm)({t}*o,const {t}*a){{int i=TID;o[i]=norm3d{suffix}(a[i],a[i+1],a[i+2]);o[i+1]=rnorm4d{suffix}(a[i],a[i+1],a[i+2],a[i+3]);o[i+2]=rhypot{suffix}(a[i],a[i+1]);}}")
    p = "d" if double else "f"
    for r in ("rn", "rz", "ru", "rd"):
        ops = f"__{p}add_{r}(x,y)", f"__{p}sub_{r}(x,y)", f"__{p}mul_{r}(x,y)", f"__{'fma' if double else 'fmaf'}_{r}(x,y,z)", \
              f"__{p}div_{r}(x,y)", f"__{p}sqrt_{r}(x)", f"__{p}rcp_{r}(y)"
        body = "".join(f"o[i+{k}]={e};" for k, e in enumerate(ops))
        out.append(f"K({t}_round_{r})({t}*o,const {t}*a,{t} z){{int i=TID;{t} x=a[i],y=a[i+1];{body}}}")
    out.append(f"""
K({t}_basic)({t}*o,const {t}*a,const {t}*b,{t} p,int n){{int i=TID;{t} x=a[i],y=b[i];o[i]=x+y;o[i+1]=x*y;o[i+2]=x-p;o[i+3]=-x*y+p;o[i+4]=fabs(x)-fabs(y);o[i+5]=x*({t})2.5+({t})0.1;o[i+6]=x/y;o[i+7]=x/p;o[i+8]=({t})1/x;o[i+9]=x/({t})3;o[i+10]=fma(x,p,y);o[i+11]=fma(-x,y,-p);o[i+12]=x*x+y*y;o[i+13]=x<y?x:y;}}
K({t}_compare)(int*o,const {t}*a,const {t}*b,{t} p){{int i=TID;{t} x=a[i],y=b[i];o[i]=(x<y)+2*(x<=p)+4*(x>({t})3)+8*(x>=y)+16*(x==p)+32*(x!=y)+64*isnan(x)+128*isinf(y)+256*signbit(x)+512*isfinite(y)+1024*isunordered(x,y);
 if(x<y&&!(y>p))o[i+1]=1;if(!(x<y)||x==p)o[i+2]=2;o[i+3]=isless(x,y)+isgreaterequal(x,p)+islessgreater(x,y);}}
K({t}_poly)({t}*o,const {t}*a,int n){{{t} s=0;for(int i=TID;i<n;i+=1024){{{t} x=a[i];s+=((((x*({t})0.001+({t})0.02)*x-({t})0.3)*x+({t})4)*x-({t})1e-9)*x+({t})INFINITY;}}o[TID]=s;}}
K({t}_select)({t}*o,const {t}*a,const {t}*b,int n){{int i=TID;{t} x=a[i],y=b[i];o[i]=n>3?x:y;o[i+1]=x>0?x:({t})0.01*x;o[i+2]=fmin(fmax(x,({t})0),({t})6);o[i+3]=fmax(fabs(x),fabs(y));o[i+4]=copysign(x,-y);o[i+5]=(n&1)?-x:x;}}""")
    if not double:
        out.append("""
K(fast)(float*o,const float*a){int i=TID;float x=a[i],y=a[i+1];o[i]=__sinf(x);o[i+1]=__cosf(x);o[i+2]=__tanf(x);o[i+3]=__expf(x);o[i+4]=__exp10f(x);o[i+5]=__logf(x);o[i+6]=__log2f(x);o[i+7]=__log10f(x);o[i+8]=__powf(x,y);o[i+9]=__fdividef(x,y);o[i+10]=__frsqrt_rn(x);o[i+11]=__saturatef(x+y);o[i+12]=__saturatef(x*y);o[i+13]=__saturatef(fmaf(x,y,1.f));
 float r;asm("tanh.approx.f32 %0,%1;":"=f"(r):"f"(x));o[i+14]=r;asm("sqrt.approx.ftz.f32 %0,%1;":"=f"(r):"f"(x));o[i+15]=r;asm("rcp.approx.ftz.f32 %0,%1;":"=f"(r):"f"(x));o[i+16]=r;asm("ex2.approx.ftz.f32 %0,%1;":"=f"(r):"f"(y));o[i+17]=r;asm("add.ftz.rz.sat.f32 %0,%1,%2;":"=f"(r):"f"(x),"f"(y));o[i+18]=r;asm("fma.rp.ftz.f32 %0,%1,%2,%1;":"=f"(r):"f"(x),"f"(y));o[i+19]=r;asm("min.ftz.f32 %0,%1,%2;":"=f"(r):"f"(x),"f"(y));o[i+20]=r;asm("set.gtu.f32.f32 %0,%1,%2;":"=f"(r):"f"(x),"f"(y));o[i+21]=r;asm("mul.ftz.f32 %0,%1,%2;":"=f"(r):"f"(x),"f"(y));o[i+22]=r;}
#if __CUDA_ARCH__>=800
K(nanmin)(float*o,const float*a){int i=TID;float x=a[i],y=a[i+1],r;asm("min.NaN.f32 %0,%1,%2;":"=f"(r):"f"(x),"f"(y));o[i]=r;asm("max.NaN.ftz.f32 %0,%1,%2;":"=f"(r):"f"(x),"f"(y));o[i+1]=r;}
#endif
#if __CUDA_ARCH__>=860
K(xorsign)(float*o,const float*a){int i=TID;float x=a[i],y=a[i+1],r;asm("min.xorsign.abs.f32 %0,%1,%2;":"=f"(r):"f"(x),"f"(y));o[i]=r;asm("max.ftz.NaN.xorsign.abs.f32 %0,%1,%2;":"=f"(r):"f"(x),"f"(y));o[i+1]=r;}
#endif
""")
    return "\n".join(out)


def halves():
    out = [HEAD]
    for t, v, g in (("f16", "__half2", ""), ("bf16", "__nv_bfloat162", "")):
        pre = "#if __CUDA_ARCH__>=800\n" if t == "bf16" else ""
        post = "\n#endif" if t == "bf16" else ""
        names = ["hsin", "hcos", "hexp", "hexp2", "hexp10", "hlog", "hlog2", "hlog10", "hsqrt", "hrsqrt", "hrcp", "hfloor", "hceil", "htrunc", "hrint"]
        out.append(pre + "\n".join(f"K({t}_{n})({t}*o,const {t}*a){{int i=TID;o[i]={n}(a[i]);}}" for n in names) + post)
        out.append(pre + "\n".join(f"K({t}2_{n})({v}*o,const {v}*a){{int i=TID;o[i]=h2{n[1:]}(a[i]);}}" for n in names) + post)
        out.append(pre + f"""
K({t}_one)({t}*o,const {t}*a,{t} p){{int i=TID;{t} x=a[i],y=a[i+1];o[i]=__hadd(x,y);o[i+1]=__hmul(x,p);o[i+2]=__hfma(x,y,p);o[i+3]=__hsub(x,y);o[i+4]=__hdiv(x,y);o[i+5]=__hneg(x);o[i+6]=__habs(y);o[i+7]=__hmin(x,y);o[i+8]=__hmax(x,p);o[i+9]=__hlt(x,y)?x:y;o[i+10]=__hgeu(x,y)?y:p;o[i+11]=__hadd_sat(x,y);o[i+12]=__hmul_sat(x,y);o[i+13]=__hfma_sat(x,y,p);o[i+14]=__heq(x,y)?p:x;o[i+15]=__hisnan(x)?p:x;}}
K({t}_two)({v}*o,const {v}*a,{v} p){{int i=TID;{v} x=a[i],y=a[i+1];o[i]=__hadd2(x,y);o[i+1]=__hmul2(x,p);o[i+2]=__hfma2(x,y,p);o[i+3]=__hsub2(x,y);o[i+4]=__h2div(x,y);o[i+5]=__hneg2(x);o[i+6]=__habs2(y);o[i+7]=__hmin2(x,y);o[i+8]=__hmax2(x,p);o[i+9]=__hlt2(x,y);o[i+10]=__hgeu2(x,y);o[i+11]=__hadd2_sat(x,y);o[i+12]=__hmul2_sat(x,y);o[i+13]=__hfma2_sat(x,y,p);o[i+14]=__heq2(x,y);o[i+15]=__lowhigh2highlow(x);o[i+16]=__low2half2(x);o[i+17]=__hbge2(x,y)?x:y;o[i+18]=__hbltu2(x,y)?p:y;}}
K({t}_relu)({v}*o,const {v}*a,{v} p){{int i=TID;{v} x=a[i],y=a[i+1];o[i]=__hfma2_relu(x,y,p);o[i+1].x=__hfma_relu(x.x,y.y,p.x);o[i+2]=__hmin2_nan(x,y);o[i+3]=__hmax2_nan(x,p);}}""".replace("__low2half2", "__low2half2" if t == "f16" else "__low2bfloat162") + post)
    return "\n".join(out)


def conversions():
    out = [HEAD]
    for a in INTS + ["float", "double"]:
        body = "".join(f"(({b}*)o)[i+{k * 40}]=({b})x;" for k, b in enumerate(INTS + ["float", "double"]))
        out.append(f"K(convert_{a})(void*o,const {a}*p){{int i=TID;{a} x=p[i];{body}}}")
    f2i = [f"__float2{i}_{r}" for i in ("int", "uint", "ll", "ull") for r in ("rn", "rz", "ru", "rd")]
    d2i = [f"__double2{i}_{r}" for i in ("int", "uint", "ll", "ull") for r in ("rn", "rz", "ru", "rd")]
    h2i = [f"__half2{i}_{r}" for i in ("int", "uint", "ll", "ull", "short", "ushort") for r in ("rn", "rz", "ru", "rd")]
    for name, t, fs in (("f2i", "float", f2i), ("d2i", "double", d2i), ("h2i", "f16", h2i)):
        out.append(f"K({name})(s64*o,const {t}*p){{int i=TID;{t} x=p[i];" + "".join(f"o[i+{k}]={f}(x);" for k, f in enumerate(fs)) + "}")
    for i, t in (("int", "int"), ("uint", "u32"), ("ll", "s64"), ("ull", "u64")):
        fs = [f"__{i}2float_{r}" for r in ("rn", "rz", "ru", "rd")]
        out.append(f"K({i}2f)(float*o,const {t}*p){{int i=TID;{t} x=p[i];" + "".join(f"o[i+{k}]={f}(x);" for k, f in enumerate(fs)) + "}")
        ds = [f"__{i}2double_{r}" for r in (("rn", "rz", "ru", "rd") if i in ("ll", "ull") else ("rn",))]
        out.append(f"K({i}2d)(double*o,const {t}*p){{int i=TID;{t} x=p[i];" + "".join(f"o[i+{k}]={f}(x);" for k, f in enumerate(ds)) + "}")
        hs = [f"__{i}2half_{r}" for r in ("rn", "rz", "ru", "rd")]
        out.append(f"K({i}2h)(f16*o,const {t}*p){{int i=TID;{t} x=p[i];" + "".join(f"o[i+{k}]={f}(x);" for k, f in enumerate(hs)) + "}")
    out.append("""
K(narrow)(float*o,f16*h,bf16*b,const double*d,const float*f){int i=TID;o[i]=__double2float_rn(d[i]);o[i+1]=__double2float_rz(d[i]);o[i+2]=__double2float_ru(d[i]);o[i+3]=__double2float_rd(d[i]);h[i]=__float2half_rn(f[i]);h[i+1]=__float2half_rz(f[i]);h[i+2]=__float2half_ru(f[i]);h[i+3]=__float2half_rd(f[i]);h[i+4]=__double2half(d[i]);b[i]=__float2bfloat16_rn(f[i]);b[i+1]=__float2bfloat16_rz(f[i]);b[i+2]=__float2bfloat16_ru(f[i]);b[i+3]=__float2bfloat16_rd(f[i]);b[i+4]=__double2bfloat16(d[i]);o[i+4]=__half2float(h[i+9]);o[i+5]=__bfloat162float(b[i+9]);((__half2*)h)[i+8]=__floats2half2_rn(f[i],f[i+1]);((__nv_bfloat162*)b)[i+8]=__floats2bfloat162_rn(f[i],f[i+1]);}
K(parts)(double*o,const double*d,const float*f,int*p){int i=TID;p[i]=__double2hiint(d[i]);p[i+1]=__double2loint(d[i]);o[i]=__hiloint2double(p[i+2],p[i+3]);p[i+4]=__float_as_int(f[i]);((float*)p)[i+5]=__int_as_float(p[i+6]);((s64*)p)[i+9]=__double_as_longlong(d[i]);}
""")
    return "\n".join(out)


def memory():
    out = [HEAD]
    loads = ["ca", "cg", "cs", "lu", "cv"]
    for t, c, n in (("u8", "h", "u8"), ("s8", "h", "s8"), ("u16", "h", "u16"), ("s16", "h", "s16"), ("u32", "r", "u32"), ("u64", "l", "u64"), ("f32", "f", "float"), ("f64", "d", "double")):
        ct = {"u8": "u16", "s8": "s16"}.get(t, n)
        body = ""
        for k, m in enumerate(loads):
            body += f'asm volatile("ld.global.{m}.{t} %0,[%1];":"={c}"(v):"l"(p+{k}*8+i));o[i+{k}]=v;'
        for k, m in enumerate(("wb", "cg", "cs", "wt")):
            body += f'asm volatile("st.global.{m}.{t} [%0],%1;"::"l"(p+{k}*8+i+99),"{c}"(v));'
        for m in ("volatile.global", "relaxed.cta.global", "relaxed.gpu.global", "relaxed.sys.global", "acquire.cta.global", "acquire.gpu.global", "acquire.sys.global", "global.nc"):
            body += f'asm volatile("ld.{m}.{t} %0,[%1];":"={c}"(v):"l"(p+i+7));o[i+9]+=v;'
        for m in ("volatile.global", "relaxed.cta.global", "relaxed.gpu.global", "relaxed.sys.global", "release.cta.global", "release.gpu.global", "release.sys.global"):
            body += f'asm volatile("st.{m}.{t} [%0],%1;"::"l"(p+i+50),"{c}"(v));'
        out.append(f"K(ldst_{t})({n}*o,{n}*p){{int i=TID;{ct} v;{body}}}")
        out.append(f"K(shared_{t})({n}*o,const {n}*p,int n){{__shared__ {n} s[256];extern __shared__ {n} d_{t}[];int i=threadIdx.x;s[i]=p[i];d_{t}[i*2+n]=p[i+n];__syncthreads();o[i]=s[(i*7+n)&255]+d_{t}[i^n];s[n]=o[n];__syncwarp();o[i+1]=s[5]+s[i+1];}}")
        out.append(f"K(local_{t})({n}*o,const {n}*p,int n){{{n} t[64];for(int i=0;i<64;i++)t[i]=p[i];for(int i=0;i<n;i++)t[(i*5)&63]+=t[n&63];o[0]=t[n&63];o[1]=t[(n+3)&63];}}")
        out.append(f"K(generic_{t})({n}*o,{n}*p,int n){{__shared__ {n} s[32];{n} l[8];for(int i=0;i<8;i++)l[i]=o[i];{n}*q=n==0?s:n==1?p:l;q[n]=q[n+1];o[n]=q[2]+l[n&7];}}")
        out.append(f"__constant__ {n} c_{t}[64];K(const_{t})({n}*o,int n){{int i=TID;o[i]=c_{t}[i&63]+c_{t}[3]+c_{t}[n];}}")
    for t in ("char2", "uchar4", "short2", "ushort4", "int2", "int4", "float2", "float4", "double2", "longlong2"):
        out.append(f"K(vec_{t})({t}*o,const {t}*__restrict__ p,int n){{int i=TID;{t} v=p[i];v.x+=v.y;o[i]=v;__shared__ {t} s[128];s[threadIdx.x]=v;__syncthreads();o[i+n]=s[(threadIdx.x+n)&127];}}")
    out.append("""
struct S{char a;short b;int c;double d;float e[3];};
K(structs)(S*o,const S*p,S v,int n){int i=TID;S x=p[i];x.c+=v.c;x.e[1]*=v.e[n%3];x.d+=x.a;o[i]=x;o[i].b=v.b;}
K(fences)(volatile int*p,int*q){p[0]=1;__threadfence();p[1]=2;__threadfence_block();p[2]=q[3];__threadfence_system();q[1]=p[2];asm volatile("fence.acq_rel.gpu;");asm volatile("fence.sc.cta;");asm volatile("fence.acq_rel.sys;");q[2]=p[4];}
K(prefetch)(char*p){asm volatile("prefetch.global.L1 [%0];"::"l"(p));asm volatile("prefetch.global.L2 [%0];"::"l"(p+999));asm volatile("prefetch.L2 [%0];"::"l"(p+5));asm volatile("prefetchu.L1 [%0];"::"l"(p+77));p[1]=__isShared(p)+__isGlobal(p)*2+__isLocal(p)*4+__isConstant(p)*8;}
#if __CUDA_ARCH__>=800
K(copies)(char*p,char*g,int n){extern __shared__ char s[];u32 a=(u32)__cvta_generic_to_shared(s)+threadIdx.x*16;char*q=g+threadIdx.x*16;asm volatile("cp.async.ca.shared.global [%0],[%1],4;"::"r"(a),"l"(q));asm volatile("cp.async.ca.shared.global [%0],[%1],8;"::"r"(a+32),"l"(q+64));asm volatile("cp.async.ca.shared.global.L2::128B [%0],[%1],16;"::"r"(a+64),"l"(q+128));asm volatile("cp.async.cg.shared.global [%0],[%1],16,%2;"::"r"(a+96),"l"(q+256),"r"(n));asm volatile("cp.async.commit_group;");asm volatile("cp.async.wait_group 1;");asm volatile("cp.async.commit_group;");asm volatile("cp.async.wait_all;");__syncthreads();p[n]=s[n+9];u64 t;asm volatile("mbarrier.init.shared.b64 [%0],32;"::"r"(a));asm volatile("mbarrier.arrive.shared.b64 %0,[%1];":"=l"(t):"r"(a));((u64*)p)[2]=t;u32 ok;asm volatile("{.reg .pred q; mbarrier.test_wait.shared.b64 q,[%1],%2; selp.u32 %0,1,0,q;}":"=r"(ok):"r"(a),"l"(t));p[9]=ok;asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];"::"r"(a));}
K(policies)(u32*o,const u32*p){u32 v;u64 c;asm volatile("createpolicy.fractional.L2::evict_last.b64 %0,0.5;":"=l"(c));asm volatile("ld.global.L2::cache_hint.u32 %0,[%1],%2;":"=r"(v):"l"(p),"l"(c));o[0]=v;asm volatile("ld.global.L1::no_allocate.L2::64B.u32 %0,[%1];":"=r"(v):"l"(p+1));o[1]=v;asm volatile("ld.global.L1::evict_first.L2::128B.u32 %0,[%1];":"=r"(v):"l"(p+2));o[2]=v;asm volatile("ld.global.L1::evict_last.L2::256B.u32 %0,[%1];":"=r"(v):"l"(p+3));o[3]=v;asm volatile("ld.global.L1::evict_unchanged.u32 %0,[%1];":"=r"(v):"l"(p+4));o[4]=v;asm volatile("st.global.L1::evict_last.u32 [%0],%1;"::"l"(o+7),"r"(v));asm volatile("st.global.L2::cache_hint.u32 [%0],%1,%2;"::"l"(o+8),"r"(v),"l"(c));asm volatile("discard.global.L2 [%0],128;"::"l"(o+64));}
#endif
""")
    return "\n".join(out)


def atomics():
    out = [HEAD]
    types = {"u32": ("u32", "r", "add min max inc dec"), "s32": ("int", "r", "add min max"), "b32": ("u32", "r", "and or xor exch"),
             "u64": ("u64", "l", "add min max"), "s64": ("s64", "l", "min max"), "b64": ("u64", "l", "and or xor exch"),
             "f32": ("float", "f", "add"), "f64": ("double", "d", "add")}
    for t, (ct, c, ops) in types.items():
        for op in ops.split():
            for sp, scopes in (("global", ("cta", "gpu", "sys")), ("shared", ("cta",)), ("", ("gpu",))):
                for sc in scopes:
                    s = "." + sp if sp else ""
                    addr = '"r"(a)' if sp == "shared" else '"l"(p)'
                    red = "" if op == "exch" else f'asm volatile("red.relaxed.{sc}{s}.{op}.{t} [%0],%1;"::{addr},"{c}"(v));'
                    out.append(f'K(atom_{t}_{op}_{sp or "generic"}_{sc})({ct}*p,{ct}*o,u32 a){{{ct} v=o[TID],r;asm volatile("atom.relaxed.{sc}{s}.{op}.{t} %0,[%1],%2;":"={c}"(r):{addr},"{c}"(v));o[TID+1]=r;{red}}}')
        if t in ("b32", "b64"):
            for sp in ("global", "shared", ""):
                s = "." + sp if sp else ""
                addr = '"r"(a)' if sp == "shared" else '"l"(p)'
                out.append(f'K(cas_{t}_{sp or "generic"})({ct}*p,{ct}*o,u32 a){{{ct} v=o[TID],r;asm volatile("atom.acq_rel.gpu{s}.cas.{t} %0,[%1],%2,%3;":"={c}"(r):{addr},"{c}"(v),"{c}"(v+1));o[TID+1]=r;}}')
    out.append("""
K(atom_half)(__half2*p,__half*q,__half2 v){atomicAdd(p+TID,v);p[3]=atomicAdd(p+9,v);
#if __CUDA_ARCH__>=700
 atomicAdd(q+TID,v.x);
#endif
}
#if __CUDA_ARCH__>=800
K(atom_bf)(__nv_bfloat162*p,bf16*q,__nv_bfloat162 v){atomicAdd(p+TID,v);p[3]=atomicAdd(p+9,v);atomicAdd(q+TID,v.x);}
#endif
K(counter)(int*n,int*o,const int*a){__shared__ int s;if(threadIdx.x==0)s=0;__syncthreads();if(a[TID]>0){int k=atomicAdd(&s,1);o[k]=TID;}__syncthreads();if(threadIdx.x==0)atomicAdd(n,s);}
K(hist)(u32*h,const u8*a,int n){__shared__ u32 s[256];s[threadIdx.x]=0;__syncthreads();for(int i=TID;i<n;i+=1024)atomicAdd(s+a[i],1u);__syncthreads();atomicAdd(h+threadIdx.x,s[threadIdx.x]);}
K(sfloat)(float*o,const float*a){__shared__ float s[32];__shared__ double d[8];atomicAdd(s+(threadIdx.x&31),a[TID]);atomicAdd(d+(threadIdx.x&7),(double)a[TID]);__syncthreads();o[TID]=s[threadIdx.x&31]+d[1];atomicMax((int*)s,__float_as_int(o[1]));}
K(lock)(int*l,double*o){bool done=false;while(!done){if(atomicCAS(l,0,1)==0){o[0]+=1;__threadfence();atomicExch(l,0);done=true;}}}
""")
    return "\n".join(out)


def control():
    out = [HEAD]
    for n in (5, 9, 17, 33):
        cases = "".join(f"case {k}:o[i+{k % 7}]=a[i]*{k * 3 + 1}+{['n', 'i', 'a[n]', 'o[i]'][k % 4]};break;" for k in range(n))
        out.append(f"K(switch_{n})(int*o,const int*a,int n){{int i=TID;switch(a[i]){{{cases}default:o[i]=-1;}}o[i+9]=n;}}")
    for d in range(1, 7):
        body = "s+=a[i0]*n;"
        for k in range(d):
            body = f"if(a[i{k}]>{k}*n){{{body}}}else s-={k + 1};"
            body = f"for(int i{k}=threadIdx.x;i{k}<n+{k};i{k}+={k + 1}){{{body}}}"
        out.append(f"K(nest_{d})(int*o,const int*a,int n){{int s=0;{body}o[TID]=s;}}")
    for k in range(6):
        out.append(f"""
__device__ __noinline__ int fib{k}(int n,int d){{if(n<d+{k})return n;return fib{k}(n-1,d)+fib{k}(n-2,d)*{k + 1};}}
__device__ __noinline__ float leaf{k}(float x,float y){{return x*y+sinf(x+{k});}}
K(recurse_{k})(int*o,float*f,int n){{o[TID]=fib{k}(n+TID,1);f[TID]=leaf{k}(f[TID+1],n)+leaf{k}(f[TID+2],{k});}}
typedef int (*fn{k})(int,int);
__device__ int fa{k}(int x,int y){{return x*y+{k};}} __device__ int fb{k}(int x,int y){{return x-y*{k + 3};}} __device__ int fc{k}(int x,int y){{return x/(y+{k});}}
__device__ fn{k} table{k}[3]={{fa{k},fb{k},fc{k}}};
K(indirect_{k})(int*o,int n){{int s=0;for(int i=0;i<n;i++)s+=table{k}[(i+TID)%3](s,i);o[TID]=s;}}
struct B{k}{{__device__ virtual int f(int x){{return x+{k};}}int v;}};struct D{k}:B{k}{{__device__ int f(int x)override{{return x*v;}}}};
K(virtual_{k})(int*o,int n){{D{k} d;B{k} b;d.v=n;b.v=3;B{k}*p=n>2?(B{k}*)&d:&b;o[TID]=p->f(n);}}""")
    out.append("""
K(shuffles)(u32*o,float*f,double*d,u64*q,int n){int i=TID;u32 x=o[i];o[i]=__shfl_sync(~0u,x,n);o[i+1]=__shfl_sync(~0u,x,5);o[i+2]=__shfl_up_sync(~0u,x,n);o[i+3]=__shfl_up_sync(~0u,x,2,8);o[i+4]=__shfl_down_sync(~0u,x,n,16);o[i+5]=__shfl_xor_sync(~0u,x,1);o[i+6]=__shfl_xor_sync(~0u,x,n);f[i]=__shfl_sync(0xffff,f[i],n,4);d[i]=__shfl_down_sync(~0u,d[i],3);q[i]=__shfl_sync(n,q[i],0);}
K(votes)(u32*o,int n){int i=TID;u32 x=o[i];o[i]=__ballot_sync(~0u,x>n);o[i+1]=__any_sync(~0u,x==n)+2*__all_sync(~0u,x<n);o[i+2]=__activemask();o[i+3]=__popc(__ballot_sync(n,x&1));if(x>3)o[i+4]=__ballot_sync(__activemask(),x>5);o[i+5]=__match_any_sync(~0u,x);int p;o[i+6]=__match_all_sync(~0u,x,&p)+p;o[i+7]=__match_any_sync(n,(u64)x*3);o[i+8]=__match_all_sync(n,(u64)x*3,&p)+p;__syncwarp();o[i+9]=__fns(x,0,n);}
K(barriers)(int*o,int n){int i=TID;o[i]=__syncthreads_count(o[i]>n);o[i+1]=__syncthreads_and(o[i]);o[i+2]=__syncthreads_or(o[i]>7);asm volatile("bar.sync 1,64;");asm volatile("bar.arrive 2,64;");asm volatile("bar.sync %0,64;"::"r"(n));asm volatile("bar.sync 3,%0;"::"r"(n));asm volatile("bar.sync %0,%1;"::"r"(n),"r"(n*2));asm volatile("bar.arrive %0,%1;"::"r"(n),"r"(n*2));asm volatile("bar.warp.sync 0xf;");__syncwarp(n);u32 r;asm volatile("{.reg .pred p; setp.gt.s32 p,%1,3; bar.red.popc.u32 %0,4,p;}":"=r"(r):"r"(n));o[5]=r;asm volatile("{.reg .pred p,q; setp.gt.s32 p,%1,3; bar.red.or.pred q,4,64,p; selp.u32 %0,1,0,q;}":"=r"(r):"r"(n));o[6]=r;}
K(spread)(u32*o){u32 v;
""" + "".join(f'asm volatile("mov.u32 %0,%%{r};":"=r"(v));o[{k}]=v;' for k, r in enumerate(
        "tid.x tid.y tid.z ntid.x ntid.y ntid.z ctaid.x ctaid.y ctaid.z nctaid.x nctaid.y nctaid.z laneid warpid nwarpid smid nsmid lanemask_eq lanemask_lt lanemask_le lanemask_gt lanemask_ge clock clock_hi globaltimer_lo globaltimer_hi dynamic_smem_size total_smem_size pm0 envreg0".split())) + """
 u64 q;asm volatile("mov.u64 %0,%%clock64;":"=l"(q));((u64*)o)[40]=q;asm volatile("mov.u64 %0,%%globaltimer;":"=l"(q));((u64*)o)[41]=q;asm volatile("mov.u64 %0,%%gridid;":"=l"(q));((u64*)o)[42]=q;}
K(sleepy)(volatile int*p,int n){while(p[0]<n)__nanosleep(100);__nanosleep(n);if(p[1])__trap();if(p[2])asm volatile("brkpt;");if(p[3])asm volatile("exit;");p[4]=1;}
K(groups)(int*o,const int*a){auto b=cg::this_thread_block();auto w=cg::tiled_partition<32>(b);auto t=cg::tiled_partition<8>(w);o[TID]=t.shfl_down(a[TID],2)+t.ballot(a[TID]>1)+t.any(a[TID]>3)+w.match_any(a[TID]);if(a[TID]>4){auto c=cg::coalesced_threads();o[TID+1]=c.thread_rank()+c.size()+c.shfl(a[9],0);c.sync();}b.sync();t.sync();o[b.thread_rank()]+=t.meta_group_rank();}
K(grid)(int*o,const int*a){cg::grid_group g=cg::this_grid();o[g.thread_rank()]=a[g.thread_rank()];g.sync();o[g.size()-g.thread_rank()]+=g.num_blocks();}
#if __CUDA_ARCH__>=800
K(reduces)(u32*o,int*s,int n){int i=TID;o[i]=__reduce_add_sync(~0u,o[i]);o[i+1]=__reduce_min_sync(~0u,o[i]);o[i+2]=__reduce_max_sync(~0u,o[i]);o[i+3]=__reduce_and_sync(~0u,o[i]);o[i+4]=__reduce_or_sync(n,o[i]);o[i+5]=__reduce_xor_sync(~0u,o[i]);s[i]=__reduce_min_sync(~0u,s[i]);s[i+1]=__reduce_max_sync(~0u,s[i]);}
#endif
K(bitonic)(int*a,int n){__shared__ int s[512];int t=threadIdx.x;s[t]=a[t];__syncthreads();for(int k=2;k<=512;k*=2)for(int j=k/2;j>0;j/=2){int x=t^j;if(x>t){bool up=(t&k)==0;if((s[t]>s[x])==up){int v=s[t];s[t]=s[x];s[x]=v;}}__syncthreads();}a[t]=s[t];}
""")
    for n in (8, 16, 32):
        out.append(f"""
K(matmul_{n})(float*c,const float*a,const float*b,int n){{__shared__ float s[{n}][{n}+1],t[{n}][{n}+1];float r=0;int x=threadIdx.x,y=threadIdx.y;for(int k=0;k<n;k+={n}){{s[y][x]=a[y*n+k+x];t[y][x]=b[(k+y)*n+x];__syncthreads();
#pragma unroll
 for(int j=0;j<{n};j++)r+=s[y][j]*t[j][x];__syncthreads();}}c[y*n+x]=r;}}
K(reduce_{n})(float*o,const float*a,int n){{float s=0;for(int i=TID;i<n;i+={n}*32)s+=a[i];
#pragma unroll
 for(int d={n}/2;d;d/=2)s+=__shfl_xor_sync(~0u,s,d);if((threadIdx.x&31)==0)atomicAdd(o,s);}}
K(stencil_{n})(double*o,const double*a,int w){{int x=TID,y=blockIdx.y;double s=0;
#pragma unroll
 for(int d=-{n}/4;d<={n}/4;d++)s+=a[y*w+x+d]*(d+0.5);o[y*w+x]=s;}}
K(fft_{n})(float2*a){{float2 v[{n}];for(int i=0;i<{n};i++)v[i]=a[TID*{n}+i];
#pragma unroll
 for(int h={n}/2;h;h/=2)
#pragma unroll
  for(int i=0;i<{n};i++)if(!(i&h)){{float2 p=v[i],q=v[i+h];v[i]=make_float2(p.x+q.x,p.y+q.y);float2 d=make_float2(p.x-q.x,p.y-q.y);float c=cospif((float)(i%h)/h),s=sinpif((float)(i%h)/h);v[i+h]=make_float2(d.x*c-d.y*s,d.x*s+d.y*c);}}
 for(int i=0;i<{n};i++)a[TID*{n}+i]=v[i];}}""")
    return "\n".join(out)


SOURCES = {"integers": integers, "float32": lambda: floats(False), "float64": lambda: floats(True), "halves": halves,
           "conversions": conversions, "memory": memory, "atomics": atomics, "control": control}

#include <mma.h>
#include <cuda_fp8.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
using namespace nvcuda;
template<class T,class U,int M,int N,int K> __device__ void go(T*a,U*c){wmma::fragment<wmma::matrix_a,M,N,K,T,wmma::row_major> A;wmma::fragment<wmma::matrix_b,M,N,K,T,wmma::col_major> B;wmma::fragment<wmma::accumulator,M,N,K,U> C;wmma::load_matrix_sync(A,a,K);wmma::load_matrix_sync(B,a+999,K);wmma::fill_fragment(C,U(0));wmma::mma_sync(C,A,B,C);wmma::store_matrix_sync(c,C,N,wmma::mem_row_major);}
extern "C" __global__ void k1(half*a,float*c){go<half,float,16,16,16>(a,c);}
extern "C" __global__ void k2(half*a,half*c){go<half,half,16,16,16>(a,c);}
extern "C" __global__ void k3(signed char*a,int*c){go<signed char,int,16,16,16>(a,c);}
extern "C" __global__ void k3u(unsigned char*a,int*c){go<unsigned char,int,16,16,16>(a,c);}
#if __CUDA_ARCH__>=800
extern "C" __global__ void k4(__nv_bfloat16*a,float*c){go<__nv_bfloat16,float,16,16,16>(a,c);}
extern "C" __global__ void k5(double*a,double*c){go<double,double,8,8,4>(a,c);}
#define MMA(name,NA,NB,NC,T,inst,cc) extern "C" __global__ void name(unsigned*a,T*c){unsigned A[4],B[4];T C[4];for(int i=0;i<4;i++){A[i]=a[i+threadIdx.x];B[i]=a[i+77+threadIdx.x];C[i]=c[i+threadIdx.x];} inst; for(int i=0;i<4;i++)c[i+threadIdx.x]=C[i];}
MMA(m1,4,2,4,float,asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+f"(C[0]),"+f"(C[1]),"+f"(C[2]),"+f"(C[3]):"r"(A[0]),"r"(A[1]),"r"(A[2]),"r"(A[3]),"r"(B[0]),"r"(B[1])),f)
MMA(m2,4,2,4,float,asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};":"+f"(C[0]),"+f"(C[1]),"+f"(C[2]),"+f"(C[3]):"r"(A[0]),"r"(A[1]),"r"(B[0])),f)
MMA(m3,4,2,4,float,asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};":"+f"(C[0]),"+f"(C[1]),"+f"(C[2]),"+f"(C[3]):"r"(A[0]),"r"(A[1]),"r"(B[0])),f)
MMA(m4,4,2,4,int,asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+r"(C[0]),"+r"(C[1]),"+r"(C[2]),"+r"(C[3]):"r"(A[0]),"r"(A[1]),"r"(A[2]),"r"(A[3]),"r"(B[0]),"r"(B[1])),f)
MMA(m5,4,2,4,int,asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+r"(C[0]),"+r"(C[1]),"+r"(C[2]),"+r"(C[3]):"r"(A[0]),"r"(A[1]),"r"(A[2]),"r"(A[3]),"r"(B[0]),"r"(B[1])),f)
MMA(m6,4,2,4,int,asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+r"(C[0]),"+r"(C[1]),"+r"(C[2]),"+r"(C[3]):"r"(A[0]),"r"(A[1]),"r"(A[2]),"r"(A[3]),"r"(B[0]),"r"(B[1])),f)
MMA(m7,4,2,4,int,asm volatile("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};":"+r"(C[0]),"+r"(C[1]),"+r"(C[2]),"+r"(C[3]):"r"(A[0]),"r"(A[1]),"r"(B[0])),f)
MMA(m9,4,2,4,int,asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%0,%1},{%2},{%3},{%0,%1};":"+r"(C[0]),"+r"(C[1]):"r"(A[0]),"r"(B[0])),f)
MMA(m10,4,2,4,int,asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1},{%2},{%3},{%0,%1};":"+r"(C[0]),"+r"(C[1]):"r"(A[0]),"r"(B[0])),f)
#if __CUDA_ARCH__<900
MMA(m11,4,2,4,int,asm volatile("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%0,%1},{%2},{%3},{%0,%1};":"+r"(C[0]),"+r"(C[1]):"r"(A[0]),"r"(B[0])),f)
#endif
MMA(m12,4,2,4,float,asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6,%7},{%0,%1,%2,%3},%8,0x0;":"+f"(C[0]),"+f"(C[1]),"+f"(C[2]),"+f"(C[3]):"r"(A[0]),"r"(A[1]),"r"(B[0]),"r"(B[1]),"r"(A[2])),f)
MMA(m13,4,2,4,float,asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3},%12,0x1;":"+f"(C[0]),"+f"(C[1]),"+f"(C[2]),"+f"(C[3]):"r"(A[0]),"r"(A[1]),"r"(A[2]),"r"(A[3]),"r"(B[0]),"r"(B[1]),"r"(B[2]),"r"(B[3]),"r"(A[2])),f)
MMA(m14,4,2,4,int,asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.u8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3},%12,0x0;":"+r"(C[0]),"+r"(C[1]),"+r"(C[2]),"+r"(C[3]):"r"(A[0]),"r"(A[1]),"r"(A[2]),"r"(A[3]),"r"(B[0]),"r"(B[1]),"r"(B[2]),"r"(B[3]),"r"(A[2])),f)
MMA(m15,4,2,4,float,asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3},%12,0x0;":"+f"(C[0]),"+f"(C[1]),"+f"(C[2]),"+f"(C[3]):"r"(A[0]),"r"(A[1]),"r"(A[2]),"r"(A[3]),"r"(B[0]),"r"(B[1]),"r"(B[2]),"r"(B[3]),"r"(A[2])),f)
#endif
#if __CUDA_ARCH__>=890
MMA(m8,4,2,4,float,asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+f"(C[0]),"+f"(C[1]),"+f"(C[2]),"+f"(C[3]):"r"(A[0]),"r"(A[1]),"r"(A[2]),"r"(A[3]),"r"(B[0]),"r"(B[1])),f)
#endif
#if __CUDA_ARCH__>=900
#define DM(name,k,A,B) extern "C" __global__ void name(double*a,double*c){double C[4]={c[0],c[1],c[2],c[3]};asm volatile("mma.sync.aligned." k ".row.col.f64.f64.f64.f64 {%0,%1,%2,%3}," A "," B ",{%0,%1,%2,%3};":"+d"(C[0]),"+d"(C[1]),"+d"(C[2]),"+d"(C[3]):"d"(a[0]),"d"(a[1]),"d"(a[2]),"d"(a[3]),"d"(a[4]),"d"(a[5]),"d"(a[6]),"d"(a[7]),"d"(a[8]),"d"(a[9]),"d"(a[10]),"d"(a[11]));c[0]=C[0];c[1]=C[1];c[2]=C[2];c[3]=C[3];}
DM(d1,"m16n8k4","{%4,%5}","{%6}") DM(d2,"m16n8k8","{%4,%5,%6,%7}","{%8,%9}") DM(d3,"m16n8k16","{%4,%5,%6,%7,%8,%9,%10,%11}","{%12,%13,%14,%15}")
#endif
#if __CUDA_ARCH__>=800
extern "C" __global__ void lm(unsigned*o,unsigned s){unsigned a,b,c,d;asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];":"=r"(a),"=r"(b),"=r"(c),"=r"(d):"r"(s));o[0]=a+b+c+d;asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1},[%2];":"=r"(a),"=r"(b):"r"(s+16));o[1]=a+b;asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];":"=r"(a):"r"(s+32));asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0,%1;":"=r"(b):"r"(a));o[2]=a+b;}
#endif
__global__ void f8(__nv_fp8_e4m3*o,__nv_fp8_e5m2*p,const float*a,const half2*h,__nv_fp8x4_e4m3*q,float4*r,half2*s){int i=threadIdx.x;o[i]=__nv_fp8_e4m3(a[i]);p[i]=__nv_fp8_e5m2(a[i+9]);q[i]=__nv_fp8x4_e4m3(r[i]);s[i]=half2(__nv_fp8x2_e4m3(h[i]));r[i+9]=float4(q[i+3]);s[i+7]=half2(__nv_fp8x2_e5m2(h[i+3]));__nv_fp8x4_e5m2 z(r[i+1]);s[i+99]=*(half2*)&z;}

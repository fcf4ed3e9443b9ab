/* Matrix products and decompositions, by the textbook. */
#include "kernels.h"

#include <algorithm>
#include <numeric>

using namespace emu;

namespace {

/* What the matrix engine makes of a FLOAT operand. */
enum Precision { kKeep, kHf32, kHalf };

float rounded(float v, Precision p)
{
    if (p == kHalf) return half_to_float(float_to_half(v));
    if (p == kKeep || !std::isfinite(v)) return v;
    uint32_t bits;                       /* HF32: 11 bits of fraction */
    memcpy(&bits, &v, 4);
    bits = (bits + (1u << 11)) & ~((1u << 12) - 1);
    memcpy(&v, &bits, 4);
    return v;
}

/* C(m,n) = A(m,k) B(k,n) for each of the batch, in FLOAT. */
void multiply(const float *a, const float *b, float *c, int64_t m, int64_t k, int64_t n)
{
    std::fill(c, c + m * n, 0.0f);
    for (int64_t i = 0; i < m; ++i)
        for (int64_t p = 0; p < k; ++p) {
            float x = a[i * k + p];
            for (int64_t j = 0; j < n; ++j) c[i * n + j] += x * b[p * n + j];
        }
}

struct Product {
    Dims a, b, batch;                    /* matrices, vectors made such */
    Dims out;                            /* as the client sees it */
    int64_t m, k, n;
};

bool plan_product(Dims a, Dims b, Product *p)
{
    bool left = a.size() == 1, right = b.size() == 1;
    if (a.empty() || b.empty()) return false;
    if (left) a.insert(a.begin(), 1);
    if (right) b.push_back(1);
    p->m = a[a.size() - 2], p->k = a.back(), p->n = b.back();
    if (b[b.size() - 2] != p->k) return false;
    if (!broadcast(Dims(a.begin(), a.end() - 2), Dims(b.begin(), b.end() - 2), &p->batch)) return false;
    p->a = p->b = p->out = p->batch;
    p->a.insert(p->a.end(), {p->m, p->k});
    p->b.insert(p->b.end(), {p->k, p->n});
    if (!left) p->out.push_back(p->m);
    if (!right) p->out.push_back(p->n);
    return true;
}

View with_axes(View v, bool front) /* a vector as a matrix of one row or column */
{
    if (v.rank() != 1) return v;
    v.dims.insert(front ? v.dims.begin() : v.dims.end(), 1);
    v.strides.insert(front ? v.strides.begin() : v.strides.end(), 0);
    return v;
}

aclnnStatus matmul(Plan &plan, int8_t cubeMathType)
{
    const Layout &a = plan.arg(0), &b = plan.arg(1), &out = plan.arg(2);
    aclDataType dtype = promoted(plan, 0, 1);
    Product p;
    EMU_REQUIRE(cubeMathType >= 0 && cubeMathType <= 4, "cubeMathType %d", cubeMathType);
    EMU_REQUIRE(dtype != ACL_DT_UNDEFINED && (a.dtype == ACL_BF16) == (b.dtype == ACL_BF16), "BF16 with another dtype");
    EMU_REQUIRE(castable(dtype, out.dtype), "%s cannot be cast to the output", dtype_name(dtype));
    EMU_REQUIRE((out.dtype == ACL_BF16) == (dtype == ACL_BF16) || out.dtype == ACL_FLOAT, "the output has another dtype");
    EMU_REQUIRE(plan_product(a.dims, b.dims, &p), "the shapes do not fit");
    EMU_REQUIRE(p.out == out.dims, "the output has the wrong shape");
    Precision precision = cubeMathType == 2 ? kHalf : (cubeMathType == 1 || cubeMathType == 3) && dtype == ACL_FLOAT ? kHf32 : kKeep;
    plan.workspace(uint64_t(16) << 10);
    plan.run([=](Frame &f) {
        if (f.arg(2).count() == 0) return;
        Array x = load(with_axes(f.arg(0), true), ACL_FLOAT, p.a), y = load(with_axes(f.arg(1), false), ACL_FLOAT, p.b);
        Array made(ACL_FLOAT, f.arg(2).dims);
        for (Array *operand : {&x, &y})
            for (int64_t i = 0; i < operand->count(); ++i) operand->as<float>()[i] = rounded(operand->as<float>()[i], precision);
        for (int64_t i = 0, n = count_of(p.batch); i < n; ++i)
            multiply(x.as<float>() + i * p.m * p.k, y.as<float>() + i * p.k * p.n, made.as<float>() + i * p.m * p.n, p.m, p.k, p.n);
        Array narrow = load(made.view(), dtype);
        store(narrow, f.arg(2));
    });
    return ACLNN_SUCCESS;
}

} // namespace

#define PRODUCT_PARAMS (const aclTensor *self, const aclTensor *mat2, aclTensor *out, int8_t cubeMathType)
EMU_OP(Matmul, PRODUCT_PARAMS, (self, mat2, out, cubeMathType)) { return matmul(plan, cubeMathType); }

EMU_OP(BatchMatMul, PRODUCT_PARAMS, (self, mat2, out, cubeMathType))
{
    EMU_REQUIRE(plan.arg(0).rank() == 3 && plan.arg(1).rank() == 3, "an operand is not 3-d");
    return matmul(plan, cubeMathType);
}

EMU_OP(Mm, PRODUCT_PARAMS, (self, mat2, out, cubeMathType))
{
    EMU_REQUIRE(plan.arg(0).rank() == 2 && plan.arg(1).rank() == 2, "an operand is not 2-d");
    return matmul(plan, cubeMathType);
}

EMU_OP(Dot, (const aclTensor *self, const aclTensor *tensor, aclTensor *out), (self, tensor, out))
{
    const Layout &a = plan.arg(0), &b = plan.arg(1);
    EMU_REQUIRE(a.rank() == 1 && b.rank() == 1 && a.dims == b.dims, "the operands are no vectors of one length");
    EMU_REQUIRE(a.dtype == b.dtype && a.dtype == plan.arg(2).dtype, "the dtypes differ");
    EMU_REQUIRE(plan.arg(2).count() == 1, "the output has not one element");
    plan.run([](Frame &f) {
        Array x = load(f.arg(0), f.arg(0).dtype), y = load(f.arg(1), f.arg(1).dtype), made(x.dtype, f.arg(2).dims);
        with(Reals(), x.dtype, [&](auto tag) {
            using T = typename decltype(tag)::type;
            ValueOf<T> total = 0;
            for (int64_t i = 0; i < x.count(); ++i) total = plus(total, times(x.get<T>(i), y.get<T>(i)));
            made.put<T>(0, total);
        });
        store(made, f.arg(2));
    });
    return ACLNN_SUCCESS;
}

/* --- decompositions, for each matrix of a batch --- */
namespace {

template <class V> auto conjugate(V v)
{
    if constexpr (is_complex<V>) return std::conj(v);
    else return v;
}

template <class V> struct Matrix {       /* of its own, row-major */
    int64_t rows, columns;
    std::vector<V> data;
    Matrix(int64_t rows, int64_t columns) : rows(rows), columns(columns), data(size_t(rows * columns), V(0)) {}
    V &operator()(int64_t i, int64_t k) { return data[size_t(i * columns + k)]; }
    const V &operator()(int64_t i, int64_t k) const { return data[size_t(i * columns + k)]; }
    Matrix adjoint() const
    {
        Matrix made(columns, rows);
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t k = 0; k < columns; ++k) made(k, i) = conjugate((*this)(i, k));
        return made;
    }
};

template <class V> Matrix<V> matrix_at(const Array &a, int64_t batch)
{
    Matrix<V> made(a.dims[a.dims.size() - 2], a.dims.back());
    memcpy(made.data.data(), a.as<V>() + batch * made.rows * made.columns, made.data.size() * sizeof(V));
    return made;
}

template <class V> void put_matrix(Array &a, int64_t batch, const Matrix<V> &m)
{
    memcpy(a.as<V>() + batch * m.rows * m.columns, m.data.data(), m.data.size() * sizeof(V));
}

int64_t batches(const Array &a)
{
    return count_of(Dims(a.dims.begin(), a.dims.end() - 2));
}

/* Gauss-Jordan with the largest pivot; a singular matrix gives inf or NaN. */
void invert(Matrix<float> &a, Matrix<float> &made)
{
    int64_t n = a.rows;
    for (int64_t i = 0; i < n; ++i) made(i, i) = 1;
    for (int64_t c = 0; c < n; ++c) {
        int64_t pivot = c;
        for (int64_t i = c + 1; i < n; ++i)
            if (std::fabs(a(i, c)) > std::fabs(a(pivot, c))) pivot = i;
        for (int64_t k = 0; k < n; ++k) std::swap(a(c, k), a(pivot, k)), std::swap(made(c, k), made(pivot, k));
        float scale = 1 / a(c, c);
        for (int64_t k = 0; k < n; ++k) a(c, k) *= scale, made(c, k) *= scale;
        for (int64_t i = 0; i < n; ++i) {
            float factor = a(i, c);
            if (i == c || factor == 0) continue;
            for (int64_t k = 0; k < n; ++k) a(i, k) -= factor * a(c, k), made(i, k) -= factor * made(c, k);
        }
    }
}

Matrix<float> cholesky(const Matrix<float> &a)
{
    Matrix<float> l(a.rows, a.rows);
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t k = 0; k <= i; ++k) {
            float total = a(i, k);
            for (int64_t p = 0; p < k; ++p) total -= l(i, p) * l(k, p);
            l(i, k) = i == k ? std::sqrt(total) : total / l(k, k);
        }
    return l;
}

/* Householder; q is square, r has a's shape. */
template <class V> void householder(const Matrix<V> &a, Matrix<V> &q, Matrix<V> &r)
{
    using R = typename RealOf<V>::type;
    int64_t m = a.rows, n = a.columns;
    r = a;
    for (int64_t i = 0; i < m; ++i) q(i, i) = V(1);
    for (int64_t c = 0; c < std::min(m - 1, n); ++c) {
        std::vector<V> v(static_cast<size_t>(m), V(0));
        R norm = 0;
        for (int64_t i = c; i < m; ++i) norm = std::hypot(norm, R(std::abs(r(i, c))));
        if (norm == 0) continue;
        R first = std::abs(r(c, c));
        V phase = first == 0 ? V(1) : r(c, c) / first;
        for (int64_t i = c; i < m; ++i) v[size_t(i)] = r(i, c);
        v[size_t(c)] += phase * norm;
        R square = 0;
        for (const V &x : v) square += std::norm(x);
        auto reflect = [&](Matrix<V> &t, int64_t k, bool columns) {
            V dot = V(0);
            for (int64_t i = c; i < m; ++i) dot += columns ? t(k, i) * v[size_t(i)] : conjugate(v[size_t(i)]) * t(i, k);
            dot *= R(2) / square;
            for (int64_t i = c; i < m; ++i) (columns ? t(k, i) : t(i, k)) -= columns ? dot * conjugate(v[size_t(i)]) : v[size_t(i)] * dot;
        };
        for (int64_t k = 0; k < n; ++k) reflect(r, k, false);
        for (int64_t k = 0; k < m; ++k) reflect(q, k, true);
        for (int64_t i = c + 1; i < m; ++i) r(i, c) = V(0);
    }
}

/* One-sided Jacobi for rows >= columns: a v = u diag(s), the columns of u of length 1 where s is not 0. */
template <class V> void jacobi(Matrix<V> &a, Matrix<V> &v, std::vector<typename RealOf<V>::type> &s)
{
    using R = typename RealOf<V>::type;
    int64_t m = a.rows, n = a.columns;
    for (int64_t i = 0; i < n; ++i) v(i, i) = V(1);
    for (int sweep = 0, busy = 1; busy && sweep < 60; ++sweep) {
        busy = 0;
        for (int64_t p = 0; p < n; ++p)
            for (int64_t q = p + 1; q < n; ++q) {
                R alpha = 0, beta = 0;
                V gamma = V(0);
                for (int64_t i = 0; i < m; ++i) {
                    alpha += std::norm(a(i, p)), beta += std::norm(a(i, q));
                    gamma += conjugate(a(i, p)) * a(i, q);
                }
                R size = std::abs(gamma);
                if (!(size > std::numeric_limits<R>::epsilon() * std::sqrt(alpha * beta)) || size == 0) continue;
                busy = 1;
                V phase = gamma / size;
                R zeta = (beta - alpha) / (2 * size), t = (zeta < 0 ? -1 : 1) / (std::fabs(zeta) + std::hypot(R(1), zeta));
                R c = 1 / std::hypot(R(1), t), d = c * t;
                for (Matrix<V> *x : {&a, &v})
                    for (int64_t i = 0; i < x->rows; ++i) {
                        V left = (*x)(i, p), right = (*x)(i, q) * conjugate(phase);
                        (*x)(i, p) = c * left - d * right;
                        (*x)(i, q) = d * left + c * right;
                    }
            }
    }
    for (int64_t k = 0; k < n; ++k) {
        R norm = 0;
        for (int64_t i = 0; i < m; ++i) norm = std::hypot(norm, R(std::abs(a(i, k))));
        s[size_t(k)] = norm;
    }
}

/* The first columns are orthonormal; the rest are made so. */
template <class V> void complete(Matrix<V> &u, int64_t known)
{
    using R = typename RealOf<V>::type;
    int64_t unit = 0;
    for (int64_t k = known; k < u.columns;) {
        if (unit == u.rows) return;
        for (int64_t i = 0; i < u.rows; ++i) u(i, k) = V(i == unit);
        ++unit;
        for (int twice = 0; twice < 2; ++twice)
            for (int64_t p = 0; p < k; ++p) {
                V dot = V(0);
                for (int64_t i = 0; i < u.rows; ++i) dot += conjugate(u(i, p)) * u(i, k);
                for (int64_t i = 0; i < u.rows; ++i) u(i, k) -= dot * u(i, p);
            }
        R norm = 0;
        for (int64_t i = 0; i < u.rows; ++i) norm = std::hypot(norm, R(std::abs(u(i, k))));
        if (norm < R(0.1) / std::sqrt(R(u.rows))) continue;
        for (int64_t i = 0; i < u.rows; ++i) u(i, k) /= norm;
        ++k;
    }
}

/* u: rows x (rows or n), v: columns x (columns or n), singular values falling. */
template <class V> void svd(Matrix<V> a, Matrix<V> &u, std::vector<typename RealOf<V>::type> &s, Matrix<V> &v)
{
    using R = typename RealOf<V>::type;
    if (a.rows < a.columns) return svd(a.adjoint(), v, s, u);
    int64_t n = a.columns, known = 0;
    Matrix<V> right(n, n);
    std::vector<R> values(static_cast<size_t>(n));
    jacobi(a, right, values);
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t k) { return values[size_t(i)] > values[size_t(k)]; });
    for (int64_t k = 0; k < n; ++k) {
        int64_t from = order[size_t(k)];
        s[size_t(k)] = values[size_t(from)];
        for (int64_t i = 0; i < n; ++i) v(i, k) = right(i, from);
        if (!(s[size_t(k)] > s[0] * std::numeric_limits<R>::epsilon() * R(a.rows))) continue;
        for (int64_t i = 0; i < a.rows; ++i) u(i, k) = a(i, from) / s[size_t(k)];
        known = k + 1;
    }
    complete(u, known);
}

using Solvable = Types<float, double, Complex64, Complex128>;

bool square(const Layout &l) { return l.rank() >= 2 && l.dims.back() == l.dims[l.dims.size() - 2]; }

bool has_tail(const Layout &l, const Layout &like, std::initializer_list<int64_t> tail)
{
    Dims dims(like.dims.begin(), like.dims.end() - 2);
    dims.insert(dims.end(), tail);
    return l.dims == dims;
}

} // namespace

EMU_OP(Inverse, (const aclTensor *self, aclTensor *out), (self, out))
{
    EMU_REQUIRE(square(plan.arg(0)) && same_dims(plan, 0, 1), "self is no square matrix, or the output has another shape");
    EMU_REQUIRE(plan.arg(0).count() > 0, "an empty tensor");
    plan.workspace(4096);
    plan.run([](Frame &f) {
        Array a = load(f.arg(0), ACL_FLOAT);
        for (int64_t i = 0; i < batches(a); ++i) {
            Matrix<float> m = matrix_at<float>(a, i), made(m.rows, m.rows);
            invert(m, made);
            put_matrix(a, i, made);
        }
        store(a, f.arg(1));
    });
    return ACLNN_SUCCESS;
}

EMU_OP(LinalgCholesky, (const aclTensor *self, bool upper, aclTensor *out), (self, upper, out))
{
    EMU_REQUIRE(square(plan.arg(0)) && same_dims(plan, 0, 2), "self is no square matrix, or the output has another shape");
    EMU_REQUIRE(plan.arg(0).dtype == plan.arg(2).dtype, "the output has another dtype");
    plan.workspace(4096);
    plan.run([=](Frame &f) {
        if (f.arg(0).count() == 0) return;
        Array a = load(f.arg(0), ACL_FLOAT);
        for (int64_t i = 0; i < batches(a); ++i) {
            Matrix<float> m = matrix_at<float>(a, i), l = cholesky(upper ? m.adjoint() : m);
            put_matrix(a, i, upper ? l.adjoint() : l);
        }
        store(a, f.arg(2));
    });
    return ACLNN_SUCCESS;
}

/* The shapes say whether Q is reduced; in mode 2 only R is made. */
EMU_OP(LinalgQr, (const aclTensor *self, int64_t mode, aclTensor *Q, aclTensor *R), (self, mode, Q, R))
{
    const Layout &in = plan.arg(0);
    EMU_REQUIRE(in.rank() >= 2 && mode >= 0 && mode <= 2, "rank or mode");
    int64_t m = in.dims[in.dims.size() - 2], n = in.dims.back(), k = mode == 1 ? m : std::min(m, n);
    EMU_REQUIRE(mode == 2 || has_tail(plan.arg(2), in, {m, k}), "Q has the wrong shape");
    EMU_REQUIRE(has_tail(plan.arg(3), in, {k, n}), "R has the wrong shape");
    aclDataType dtype = in.dtype == ACL_FLOAT16 ? ACL_FLOAT : in.dtype;
    plan.workspace(4096);
    plan.run([=](Frame &f) {
        Array a = load(f.arg(0), dtype), qs(dtype, f.arg(2).dims), rs(dtype, f.arg(3).dims);
        if (a.count() == 0) return;
        with(Solvable(), dtype, [&](auto tag) {
            using V = typename decltype(tag)::type;
            for (int64_t i = 0; i < batches(a); ++i) {
                Matrix<V> x = matrix_at<V>(a, i), q(m, m), r(m, n), short_q(m, k), short_r(k, n);
                householder(x, q, r);
                for (int64_t row = 0; row < m; ++row)
                    for (int64_t c = 0; c < k; ++c) short_q(row, c) = q(row, c);
                std::copy(r.data.begin(), r.data.begin() + k * n, short_r.data.begin());
                if (mode != 2) put_matrix(qs, i, short_q);
                put_matrix(rs, i, short_r);
            }
        });
        if (mode != 2) store(qs, f.arg(2));
        store(rs, f.arg(3));
    });
    return ACLNN_SUCCESS;
}

EMU_OP(Svd, (const aclTensor *input, const bool fullMatrices, const bool computeUV, aclTensor *sigma, aclTensor *u, aclTensor *v),
       (input, fullMatrices, computeUV, sigma, u, v))
{
    const Layout &in = plan.arg(0);
    EMU_REQUIRE(in.rank() >= 2 && in.count() > 0, "an empty tensor or no matrix");
    int64_t m = in.dims[in.dims.size() - 2], n = in.dims.back(), k = std::min(m, n);
    EMU_REQUIRE(has_tail(plan.arg(3), in, {k}), "sigma has the wrong shape");
    EMU_REQUIRE(!computeUV || has_tail(plan.arg(4), in, {m, fullMatrices ? m : k}), "u has the wrong shape");
    EMU_REQUIRE(!computeUV || has_tail(plan.arg(5), in, {n, fullMatrices ? n : k}), "v has the wrong shape");
    aclDataType dtype = in.dtype;
    plan.workspace(8192);
    plan.not_repeatable();
    plan.run([=](Frame &f) {
        Array a = load(f.arg(0), dtype), us(dtype, f.arg(4).dims), vs(dtype, f.arg(5).dims), sigmas(dtype, f.arg(3).dims);
        with(Solvable(), dtype, [&](auto tag) {
            using V = typename decltype(tag)::type;
            for (int64_t i = 0; i < batches(a); ++i) {
                Matrix<V> left(m, fullMatrices ? m : k), right(n, fullMatrices ? n : k);
                std::vector<typename RealOf<V>::type> s(static_cast<size_t>(k));
                svd(matrix_at<V>(a, i), left, s, right);
                for (int64_t p = 0; p < k; ++p) sigmas.put<V>(i * k + p, V(s[size_t(p)]));
                if (computeUV) put_matrix(us, i, left), put_matrix(vs, i, right);
            }
        });
        store(sigmas, f.arg(3));
        if (computeUV) store(us, f.arg(4)), store(vs, f.arg(5));
    });
    return ACLNN_SUCCESS;
}

/* Prints what an allocation costs; not part of the sanitizer runs. */
#include <chrono>

#include "driver.h"

CASE(bench, alloc_and_release, HOST) {
    for (size_t n : {4, 4000, 16000, 40000, 400000, 4000000, 40000000}) {
        const int rounds = 2000000;
        auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < rounds; ++i) {
            xpu_storage *s;
            xpu::core_api.alloc(n, &s);
            xpu::core_api.release(s);
        }
        double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / rounds;
        std::printf("alloc + release of %zu bytes: %.1f ns\n", n, ns);
    }
}

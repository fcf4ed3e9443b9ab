/* Runs the C++ cases of one target on one backend: driver <host|counting> [target ...]. Built and run by install/sanitize.sh. */
#include "driver.h"

#include <Python.h>

#include <algorithm>
#include <cstdlib>

PyMODINIT_FUNC PyInit__host();
extern "C" xpu_status xpu_backend_entry(const xpu_services *services, const xpu_backend **backend, const char **message);

PyObject *stub_entry = nullptr;
Case *Case::first = nullptr;
int g_failures = 0;
long g_checks = 0;
bool g_counting = false;

static xpu_status load(const char *name, xpu_backend_entry_fn *entry) {
    static PyObject *made = PyInit__host();
    (void)made;
    bool counting = name ? std::strcmp(name, "counting") == 0 : g_counting;
    *entry = counting ? xpu_backend_entry : reinterpret_cast<xpu_backend_entry_fn>(stub_entry);
    return XPU_OK;
}

int main(int argc, char **argv) {
    g_counting = argc > 1 && !std::strcmp(argv[1], "counting");
    xpu::loader = load;
    std::vector<Case *> cases;
    for (Case *c = Case::first; c; c = c->next) {
        bool wanted = argc < 3;
        for (int i = 2; i < argc; ++i) wanted |= !std::strcmp(argv[i], c->target);
        if (wanted && (c->backends & (g_counting ? COUNTING : HOST))) cases.push_back(c);
    }
    std::stable_sort(cases.begin(), cases.end(), [](Case *a, Case *b) { return std::strcmp(a->target, b->target) < 0; });
    const char *target = "";
    int count = 0;
    for (Case *c : cases) {
        if (std::strcmp(target, c->target)) target = c->target;
        int before = g_failures;
        c->run();
        ++count;
        if (g_failures != before) std::printf("FAILED: %s.%s\n", c->target, c->name);
    }
    std::printf("%s: %d cases, %ld checks, %d failures\n", g_counting ? "counting" : "host", count, g_checks, g_failures);
    return g_failures != 0 || count == 0;
}

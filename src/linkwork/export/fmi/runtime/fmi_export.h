/* What an importer calls is seen from outside; everything else stays inside. */
#ifndef FMU_EXPORT_H
#define FMU_EXPORT_H

#if defined(_WIN32)
#define FMI_EXPORT __declspec(dllexport)
#else
#define FMI_EXPORT __attribute__((visibility("default")))
#endif

#endif

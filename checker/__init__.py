"""An explicit-state model checker for systems written as plain Python functions over records of small integers."""

if __name__ == "checker":  # found in the folder of the sources, as `python -m checker` does
    import importlib.machinery
    import importlib.util
    import os
    import sys

    if "kafkacheck" not in sys.modules:
        spec = importlib.machinery.ModuleSpec("kafkacheck", None, is_package=True)
        spec.submodule_search_locations = [os.path.dirname(os.path.dirname(os.path.realpath(__file__)))]
        sys.modules["kafkacheck"] = importlib.util.module_from_spec(spec)
    sys.modules["checker"] = importlib.import_module("kafkacheck.checker")
    importlib.import_module("kafkacheck.checker.process.former_names").heed()

//! Makes the JavaScript bindings of a WebAssembly module: `gametape-bindgen MODULE.wasm FOLDER`.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        eprintln!("usage: gametape-bindgen MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let made = bindgen.input_path(module).web(true).and_then(|bindgen| {
        bindgen.typescript(true).omit_default_module_path(true).remove_name_section(true);
        bindgen.generate(folder)
    });
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("gametape-bindgen: {problem:#}");
            ExitCode::FAILURE
        }
    }
}

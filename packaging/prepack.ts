import { build } from './build.ts'
import { buildConsole } from './build-console.ts'
import { packManifest } from './manifest.ts'

// Before the sources, which it lies among. Without Vite it goes in as the installation built it.
await buildConsole(undefined, false)
build()
packManifest()

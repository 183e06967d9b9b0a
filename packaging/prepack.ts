import { build } from './build.ts'
import { packManifest } from './manifest.ts'

build()
packManifest()

import { restoreManifest } from './manifest.ts'

restoreManifest()

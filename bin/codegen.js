import { refuseOldNode } from './node-version.js'

refuseOldNode()
await import('../codegen.ts')

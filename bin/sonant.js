#!/usr/bin/env node
import { refuseOldNode } from './node-version.js'

refuseOldNode()
// Not before: an old Node.js has none. Compiled code is kept from one start to the next, and so are the sources without their types: the
// parser of types, which takes longer to load than most commands to run, is then not loaded at all.
const { enableCompileCache } = await import('node:module')
enableCompileCache()
await import('../src/main.ts')

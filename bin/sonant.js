#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { broughtNode, endWithShellOfNpx, isOldNode, refuseOldNode, runBy } from './node-version.js'

// A checkout runs from its sources, a package from what was built of them.
const SOURCE = new URL('../src/main.ts', import.meta.url)
const isCheckout = existsSync(SOURCE)
const brought = isOldNode() && !isCheckout ? broughtNode() : null

endWithShellOfNpx()
if (brought === null) await run()
else runBy(brought)

async function run() {
  refuseOldNode()
  // Not before: an old Node.js has none. Compiled code is kept from one start to the next, and so are the sources without their types: the
  // parser of types, which takes longer to load than most commands to run, is then not loaded at all.
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  await import(isCheckout ? SOURCE : new URL('../dist/src/main.js', import.meta.url))
}

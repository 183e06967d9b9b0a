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
  // Imported only here: an old Node.js has no compile cache. The cache keeps compiled code and type-stripped sources from one start to the
  // next, so the type parser, which takes longer to load than most commands take to run, is not loaded.
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  await import(isCheckout ? SOURCE : new URL('../dist/src/main.js', import.meta.url))
}

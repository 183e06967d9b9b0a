import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

// Loaded into a process of the service next to it (at-rest.ts). At SIGUSR2 it throws away what nothing refers to any more, and says what is left:
// without that a leak cannot be distinguished from what the garbage collector has not come to yet.
if (isMainThread) {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  process.on('SIGUSR2', () => {
    collectGarbage()
    process.stderr.write(`memory ${JSON.stringify(process.memoryUsage())}\n`)
  })
}

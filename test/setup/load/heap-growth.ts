import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes in use once garbage is collected. */
export function heapInUse(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** By how many bytes the heap has grown when the work is done and what it left behind is collected. */
export async function heapGrowth(work: () => unknown): Promise<number> {
  const before = heapInUse()
  await work()
  return heapInUse() - before
}

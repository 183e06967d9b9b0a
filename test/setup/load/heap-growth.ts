import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** By how many bytes the heap has grown when the work is done and what it left behind is collected. */
export async function heapGrowth(work: () => unknown): Promise<number> {
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  await work()
  collectGarbage()
  return process.memoryUsage().heapUsed - before
}

import { execFile } from 'node:child_process'
import type { Gpu } from './worker.ts'

const QUERY = ['--query-gpu=name,memory.total,memory.used,utilization.gpu', '--format=csv,noheader,nounits']
/** A broken driver hangs instead of answering. */
const TIMEOUT_MS = 5000

/** The machine's NVIDIA cards; none where `nvidia-smi` is missing or does not answer. */
export const listGpus = (program = 'nvidia-smi'): Promise<Gpu[]> =>
  new Promise((resolve) => {
    execFile(program, QUERY, { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' }, (error, stdout) =>
      resolve(error === null ? parseGpus(stdout) : []),
    )
  })

/** Lines of `name, memory in MiB, of it used, load in per cent`; where it cannot tell, it says so in words. */
export function parseGpus(output: string): Gpu[] {
  return output.split('\n').flatMap((line) => {
    const [, name, memory, used = '', load = ''] = /^(.+), *(\d+), *([^,]*), *([^,]*)$/.exec(line.trim()) ?? []
    if (name === undefined) return []
    return [{ name, memoryMib: Number(memory), memoryUsedMib: numberOrNull(used), loadPercent: numberOrNull(load) }]
  })
}

const numberOrNull = (text: string): number | null => (/^\d+$/.test(text) ? Number(text) : null)

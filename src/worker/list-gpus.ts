import { execFile } from 'node:child_process'
import type { Gpu } from './worker.ts'

const QUERY = ['--query-gpu=index,name,memory.total,memory.used,utilization.gpu', '--format=csv,noheader,nounits']
/** A broken driver hangs instead of answering. */
const TIMEOUT_MS = 5000

export type NumberedGpus = ReadonlyMap<number, Gpu>

export const listGpus = (program = 'nvidia-smi'): Promise<NumberedGpus | 'missing' | 'failed'> =>
  new Promise((resolve) => {
    execFile(program, QUERY, { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' }, (error, stdout) => {
      if (error === null) resolve(parseGpus(stdout))
      else resolve(error.code === 'ENOENT' ? 'missing' : 'failed')
    })
  })

/** Parses lines of `number, name, memory in MiB, used MiB, load in per cent`; a driver writes words for unknown values. */
export function parseGpus(output: string): NumberedGpus {
  const cards = output.split('\n').flatMap((line): [number, Gpu][] => {
    const fields = /^(\d+), *(.+), *([^,]*), *([^,]*), *([^,]*)$/.exec(line.trim())
    if (fields === null) return []
    const [, number, name = '', memory = '', used = '', load = ''] = fields
    const told = { memoryUsedMib: numberOrNull(used), loadPercent: numberOrNull(load) }
    return [[Number(number), { name, memoryMib: numberOrNull(memory) ?? 0, ...told }]]
  })
  return new Map(cards)
}

const numberOrNull = (text: string): number | null => (/^\d+$/.test(text) ? Number(text) : null)

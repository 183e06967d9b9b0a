import { execFile } from 'node:child_process'
import type { Gpu } from './worker.ts'

const QUERY = ['--query-gpu=name,memory.total', '--format=csv,noheader,nounits']
/** A broken driver hangs instead of answering. */
const TIMEOUT_MS = 5000

/** The machine's NVIDIA cards; none where `nvidia-smi` is missing or does not answer. */
export const listGpus = (program = 'nvidia-smi'): Promise<Gpu[]> =>
  new Promise((resolve) => {
    execFile(program, QUERY, { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' }, (error, stdout) =>
      resolve(error === null ? parseGpus(stdout) : []),
    )
  })

/** Lines of `name, memory in MiB`. */
export function parseGpus(output: string): Gpu[] {
  return output.split('\n').flatMap((line) => {
    const [, name, memory] = /^(.+), *(\d+)$/.exec(line.trim()) ?? []
    return name === undefined ? [] : [{ name, memoryMib: Number(memory) }]
  })
}

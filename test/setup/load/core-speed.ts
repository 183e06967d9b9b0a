import { createHash } from 'node:crypto'

/** The reference takes this long on the core for which limits of processor time are meant. */
const REFERENCE_MS = 4
const ROUNDS = 4
const REPETITIONS = 10

const entries = Array.from({ length: 6000 }, (_nothing, n) => ({ id: `word${n}`, says: 'wɜːd'.repeat(n % 5), n }))
const json = JSON.stringify(entries)

/** Does the same kind of work as requests: parsing, maps, normalization, writing, hashing. */
function reference(): string {
  const read = JSON.parse(json) as typeof entries
  const byId = new Map(read.map((entry) => [entry.id.normalize('NFC'), entry]))
  return createHash('sha256')
    .update(JSON.stringify([...byId.values()]))
    .digest('hex')
}

/** Processor time of this thread for it, in milliseconds: of several, as a kernel may count that time by its ticks. */
function cpuMsOfReference(): number {
  const before = process.threadCpuUsage()
  for (let n = 0; n < REPETITIONS; n++) reference()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000 / REPETITIONS
}

let factor: number | undefined

/** How many times as long this core takes for its work as the one for which limits are meant; 1 for a faster one. Measured once. */
export function slowness(): number {
  factor ??= measureSlowness()
  return factor
}

/** The same, measured anew: the speed of a shared core changes by half within minutes. */
export const measureSlowness = (): number =>
  Math.max(1, Math.min(...Array.from({ length: ROUNDS }, cpuMsOfReference)) / REFERENCE_MS)

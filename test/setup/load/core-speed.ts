import { createHash } from 'node:crypto'

/** What the reference takes on the core for which limits of processor time are meant. */
const REFERENCE_MS = 2.5
const ROUNDS = 12

const entries = Array.from({ length: 6000 }, (_nothing, n) => ({ id: `word${n}`, says: 'wɜːd'.repeat(n % 5), n }))
const json = JSON.stringify(entries)

/** Of the kind that requests cost: parsing, maps, normalization, writing, hashing. */
function reference(): string {
  const read = JSON.parse(json) as typeof entries
  const byId = new Map(read.map((entry) => [entry.id.normalize('NFC'), entry]))
  return createHash('sha256')
    .update(JSON.stringify([...byId.values()]))
    .digest('hex')
}

/** Processor time of this thread for it, in milliseconds. */
function cpuMsOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

let factor: number | undefined

/** How many times as long this core takes for its work as the one for which limits are meant; 1 for a faster one. Measured once. */
export function slowness(): number {
  factor ??= Math.max(1, Math.min(...Array.from({ length: ROUNDS }, () => cpuMsOf(reference))) / REFERENCE_MS)
  return factor
}

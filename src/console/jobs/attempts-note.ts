import type { JobDetailQuery } from '../operations.ts'
import { count } from '../parts/format.ts'

type Tried = Pick<JobDetailQuery['job'], 'attempts' | 'releases' | 'status'>

/** What became of a job's attempts but for its last one; null of a job that was taken once, or not yet. */
export function attemptsNote({ attempts, releases, status }: Tried): string | null {
  const lost = Math.max(0, attempts - 1 - releases)
  const parts = [
    ...(releases > 0 ? [`${count(releases)} given back by ${releases === 1 ? 'its worker' : 'their workers'}`] : []),
    ...(lost > 0 ? [`${count(lost)} without a result`] : []),
  ]
  if (parts.length === 0) return null
  // The last one was given back as well, and none has begun since.
  const waits = status === 'PROCESSING' && releases >= attempts
  return waits ? `${parts.join(', ')}; it waits for the next worker` : parts.join(', ')
}

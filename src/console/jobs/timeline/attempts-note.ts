import type { JobDetailQuery } from '../../operations.ts'
import { count } from '../../parts/format.ts'

type Tried = Pick<JobDetailQuery['job'], 'attempts' | 'releases' | 'status'>

/** Describes the attempts before the last one; null for a job without them. */
export function attemptsNote({ attempts, releases, status }: Tried): string | null {
  // Which ones were released is not known: while the job runs, the last one may be among them.
  const isOpen = status === 'PROCESSING' && releases > 0
  const others = Math.max(0, isOpen ? attempts - releases : attempts - 1 - releases)
  const parts = [
    ...(releases > 0 ? [`${count(releases)} released by ${releases === 1 ? 'its worker' : 'their workers'}`] : []),
    ...(others > 0 ? [`${count(others)} ${isOpen ? 'running or ' : ''}without a result`] : []),
  ]
  if (parts.length === 0) return null
  return isOpen && others === 0 ? `${parts.join(', ')}; it waits for the next worker` : parts.join(', ')
}

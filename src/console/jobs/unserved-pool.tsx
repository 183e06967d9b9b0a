import { Icon } from '../parts/icon.tsx'
import { startCommand } from './serves-pool.ts'

interface UnservedPoolProps {
  readonly job: {
    /** Null unless the job is queued. */
    readonly poolServed: boolean | null
    /** Known to operators alone. */
    readonly pool?: string | null
  }
}

/** Why a queued job is not taken, and what is to be done. */
export function UnservedPool({ job: { poolServed, pool } }: UnservedPoolProps) {
  if (poolServed !== false) return null
  return (
    <p class="notice warn">
      <Icon name="alert" />
      {pool ? (
        <span>
          No worker serves pool <strong dir="auto">{pool}</strong>: the job waits until one does. Start one with{' '}
          <code>{startCommand(pool)}</code>.
        </span>
      ) : (
        'No worker serves the pool of this job: it waits until an operator starts one.'
      )}
    </p>
  )
}

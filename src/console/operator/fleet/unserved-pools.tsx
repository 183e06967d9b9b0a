import { startCommand } from '../../jobs/serves-pool.ts'
import type { PoolRowFragment } from '../../operations.ts'
import { count } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'

/** Pools in which jobs wait and no worker takes them. */
export const UnservedPools = ({ pools }: { pools: readonly PoolRowFragment[] }) => (
  <>
    {pools
      .filter(({ waiting, workers }) => waiting > 0 && workers === 0)
      .map(({ name, waiting }) => (
        <p key={name} class="notice warn">
          <Icon name="alert" />
          <span>
            No worker serves pool <strong dir="auto">{name}</strong>:{' '}
            {waiting === 1 ? 'one job waits' : `${count(waiting)} jobs wait`}. Start one with{' '}
            <code>{startCommand(name)}</code>.
          </span>
        </p>
      ))}
  </>
)

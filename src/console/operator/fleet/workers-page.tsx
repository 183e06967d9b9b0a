import { at } from '../../api/base.ts'
import { Choice, DroppedNotice } from '../../jobs/jobs-toolbar.tsx'
import { servesPool, startCommand } from '../../jobs/serves-pool.ts'
import type { FleetQuery } from '../../operations.ts'
import { Empty } from '../../parts/empty.tsx'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { Crumb } from '../../parts/page.tsx'
import { serviceCommand } from '../../parts/service-command.ts'
import { useAddress } from '../../parts/use-address.ts'
import { OperatorScreen } from '../operator-screen.tsx'
import { useFleet } from './use-fleet.ts'
import { WorkersTable } from './workers.tsx'

/** A pool's name as `sonant work` takes it: of an address nothing else is written into a command. */
const POOL = /^[A-Za-z0-9_.-]{1,64}$/

/** The workers as they are now, those that take from one pool or all, with heartbeats and permits. */
export function WorkersPage() {
  const query = useFleet()
  return (
    <OperatorScreen title="Workers" tab="" crumb={<Crumb href={at('/operator')}>Fleet</Crumb>}>
      <Load query={query} skeleton={<SkeletonRows rows={6} />}>
        {(fleet) => <PoolWorkers fleet={fleet} />}
      </Load>
    </OperatorScreen>
  )
}

function PoolWorkers({ fleet: { pools, workers } }: { fleet: FleetQuery }) {
  const { pool: asked = '' } = useAddress().query
  const pool = POOL.test(asked) ? asked : ''
  const names = [...pools.map(({ name }) => name), ...workers.flatMap((worker) => worker.pools), pool]
  const known = [...new Set(names)].filter((name) => name !== '').toSorted()
  const shown = workers.filter((worker) => pool === '' || servesPool(worker, pool))
  return (
    <>
      <div class="toolbar">
        <Choice name="pool" label="Any pool" options={known.map((name) => [name, name])} />
      </div>
      <DroppedNotice names={pool === asked ? [] : ['pool']} />
      {shown.length === 0 ? (
        <Empty title={pool === '' ? 'No worker is running' : 'No worker serves this pool'}>
          {pool === ''
            ? `Jobs wait. Start one with ${serviceCommand('work')}.`
            : `Its jobs wait. Start one with ${startCommand(pool)}.`}
        </Empty>
      ) : (
        <WorkersTable workers={shown} isWhole />
      )}
    </>
  )
}

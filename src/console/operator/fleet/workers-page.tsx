import { at } from '../../api/base.ts'
import { Choice } from '../../jobs/jobs-toolbar.tsx'
import type { FleetQuery } from '../../operations.ts'
import { Empty } from '../../parts/empty.tsx'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { Crumb } from '../../parts/page.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { OperatorScreen } from '../operator-screen.tsx'
import { useFleet } from './use-fleet.ts'
import { WorkersTable } from './workers.tsx'

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
  const { pool = '' } = useAddress().query
  const names = [...pools.map(({ name }) => name), ...workers.flatMap((worker) => worker.pools), pool]
  const known = [...new Set(names)].filter((name) => name !== '').toSorted()
  const shown = workers.filter((worker) => pool === '' || worker.pools.includes(pool))
  return (
    <>
      <div class="toolbar">
        <Choice name="pool" label="Any pool" options={known.map((name) => [name, name])} />
      </div>
      {shown.length === 0 ? (
        <Empty title={pool === '' ? 'No worker is running' : 'No worker serves this pool'}>
          Its jobs wait. Start one with npx sonant work{pool !== '' && ` --pools ${pool}`}.
        </Empty>
      ) : (
        <WorkersTable workers={shown} isWhole />
      )}
    </>
  )
}

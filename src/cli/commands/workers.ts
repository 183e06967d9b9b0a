import type { Command } from 'commander'
import type { WorkerRow } from '../../worker/workers.ts'
import { operatorCommand } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const MIB_PER_GIB = 1024

interface Item {
  readonly worker_id: string
  readonly host: string
  readonly version: string
  readonly alive: boolean
  readonly pools: readonly string[]
  readonly slots: number
  readonly in_flight: number
  readonly gpus: readonly { readonly name: string; readonly memory_mib: number }[]
  readonly started_at: Date
  readonly heartbeat_at: Date
}

const COLUMNS: readonly Column<Item>[] = [
  { head: 'worker', cell: ({ worker_id }) => worker_id },
  { head: 'host', cell: ({ host }) => host },
  { head: 'version', cell: ({ version }) => version },
  { head: 'alive', cell: ({ alive }) => (alive ? 'yes' : 'no') },
  { head: 'pools', cell: ({ pools }) => pools.join(',') },
  { head: 'jobs', cell: ({ in_flight }) => in_flight },
  { head: 'slots', cell: ({ slots }) => slots },
  { head: 'gpus (GiB)', cell: ({ gpus }) => gpus.map(gpuCell).join(', ') || 'none' },
  { head: 'heartbeat (UTC)', cell: ({ heartbeat_at }) => heartbeat_at.toISOString() },
]

export function addWorkerCommands(program: Command): void {
  const workers = program.command('workers').description('processes that take jobs')
  operatorCommand(
    workers.command('list').description('list the workers that live or died within a day, newest heartbeat first'),
    async (ctx) => {
      const { gpusOf, workers: listWorkers } = await import('../../worker/workers.ts')
      const { DEAD_AFTER_MS } = await import('../../worker/worker.ts')
      const latest = ctx.now().getTime() - DEAD_AFTER_MS
      const items = (await listWorkers(ctx)).map((row) => toItem(row, gpusOf(row), latest))
      return { json: { items }, text: toTable(COLUMNS, items) }
    },
  )
}

const toItem = (row: WorkerRow, gpus: readonly { name: string; memoryMib: number }[], latest: number): Item => ({
  worker_id: row.id,
  host: row.host,
  version: row.version,
  alive: row.heartbeatAt.getTime() >= latest,
  pools: row.pools,
  slots: row.slots,
  in_flight: row.inFlight,
  gpus: gpus.map(({ name, memoryMib }) => ({ name, memory_mib: memoryMib })),
  started_at: row.startedAt,
  heartbeat_at: row.heartbeatAt,
})

const gpuCell = ({ name, memory_mib }: Item['gpus'][number]): string =>
  `${name} ${Math.round(memory_mib / MIB_PER_GIB)}`

import type { Command } from 'commander'
import type { Gpu, Permit, ServerStatus, WorkerRow } from '../../worker/workers.ts'
import { operatorCommand } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const MIB_PER_GIB = 1024
const MAX_REASON_CHARACTERS = 100

type Item = ReturnType<typeof toItem>

const COLUMNS: readonly Column<Item>[] = [
  { head: 'worker', cell: ({ worker_id }) => worker_id },
  { head: 'host', cell: ({ host }) => host },
  { head: 'version', cell: ({ version }) => version },
  { head: 'alive', cell: ({ alive }) => (alive ? 'yes' : 'no') },
  { head: 'pools', cell: ({ pools }) => pools.join(',') },
  { head: 'jobs', cell: ({ in_flight }) => in_flight },
  { head: 'slots', cell: ({ slots }) => slots },
  { head: 'gpus (GiB)', cell: ({ gpus }) => gpus.map(gpuCell).join(', ') || 'none' },
  { head: 'permits', cell: ({ permits }) => permits.map(permitCell).join(', ') || 'none' },
  { head: 'server', cell: ({ server }) => serverCell(server) },
  { head: 'heartbeat (UTC)', cell: ({ heartbeat_at }) => heartbeat_at.toISOString() },
]

export function addWorkerCommands(program: Command): void {
  const workers = program.command('workers').description('processes that take jobs')
  operatorCommand(
    workers.command('list').description('list the workers that live or died within a day, newest heartbeat first'),
    async (ctx) => {
      const { gpusOf, isSilent, permitsOf, serverOf, workers: listWorkers } = await import('../../worker/workers.ts')
      const now = ctx.now().getTime()
      const items = (await listWorkers(ctx)).map((row) =>
        toItem(row, { gpus: gpusOf(row), server: serverOf(row), permits: permitsOf(row), alive: !isSilent(row, now) }),
      )
      return { json: { items }, text: toTable(COLUMNS, items) }
    },
  )
}

interface Shown {
  readonly gpus: readonly Gpu[]
  readonly server: ServerStatus | null
  readonly permits: readonly Permit[]
  readonly alive: boolean
}

const toItem = (row: WorkerRow, { gpus, server, permits, alive }: Shown) => ({
  worker_id: row.id,
  host: row.host,
  version: row.version,
  alive,
  pools: row.pools,
  slots: row.slots,
  in_flight: row.inFlight,
  gpus: gpus.map(toGpuItem),
  permits,
  server,
  started_at: row.startedAt,
  heartbeat_at: row.heartbeatAt,
})

const toGpuItem = ({ name, memoryMib, memoryUsedMib, loadPercent }: Gpu) => ({
  name,
  memory_mib: memoryMib,
  memory_used_mib: memoryUsedMib,
  load_percent: loadPercent,
})

const permitCell = ({ server, requests }: Permit): string => `${requests} at ${server}`

function serverCell(server: ServerStatus | null): string {
  if (server === null) return 'none'
  const [reason = ''] = server.state === 'failed' ? (server.error ?? '').split('\n') : []
  return reason === '' ? server.state : `${server.state}: ${reason.slice(0, MAX_REASON_CHARACTERS)}`
}

function gpuCell({ name, memory_mib, memory_used_mib, load_percent }: Item['gpus'][number]): string {
  const used = memory_used_mib === null ? '' : `${gib(memory_used_mib)} of `
  const load = load_percent === null ? '' : `, ${load_percent} %`
  const memory = memory_mib === 0 ? '' : ` ${used}${gib(memory_mib)}`
  return `${name}${memory}${load}`
}

const gib = (mib: number): number => Math.round(mib / MIB_PER_GIB)

import { readSettings } from '../../src/context/config.ts'
import { openRuntime } from '../../src/runtime/runtime.ts'
import { stopOnSignal } from '../../src/runtime/shutdown.ts'
import { openLog } from '../../src/values/log.ts'
import { registerWorker } from '../../src/worker/register-worker.ts'
import { ServerPermits } from '../../src/worker/server-permits.ts'

// Idle workers of other pools: each sends the heartbeats and renews the permits of a worker that is a process of its own.

const workers = Number(process.env.WORKERS)
const poolOf = (n: number) => `fleet-${n % Number(process.env.POOLS)}`

const settings = readSettings(process.env)
const log = openLog(settings.logLevel)
const runtime = await openRuntime(settings, log, { supervise: false })
await runtime.catalog.reload()
const opened = await Promise.all(
  Array.from({ length: workers }, async (_, n) => {
    const one = { ...runtime, workerId: `wrk_fleet_${String(n).padStart(4, '0')}` }
    const permits = new ServerPermits(one, () => [poolOf(n)])
    const load = () => ({ pools: [poolOf(n)], slots: 1, inFlight: 0, gpus: [], server: null, away: {}, engines: {} })
    return registerWorker(one, { load, onHeartbeat: (peers) => permits.follow(peers) })
  }),
)
const working = [{ what: 'the fleet', close: async () => void (await Promise.all(opened.map((one) => one.end()))) }]
stopOnSignal(log, { starting: Promise.resolve(), working, ground: [() => runtime.close()] }, 30_000)
process.stdout.write('ready\n')

import type { Row } from './measure.ts'
import { callbackBeside } from './rows/callback-beside.ts'
import { callbackLatency } from './rows/callback-latency.ts'
import { callbackRate } from './rows/callback-rate.ts'
import { captions } from './rows/captions.ts'
import { catalog } from './rows/catalog.ts'
import { inConsole } from './rows/console.ts'
import { dataJobs } from './rows/data-jobs.ts'
import { door } from './rows/door.ts'
import { encoding } from './rows/encoding.ts'
import { firstAudio } from './rows/first-audio.ts'
import { fleetSubmit } from './rows/fleet-submit.ts'
import { graphqlJobs } from './rows/graphql-jobs.ts'
import { backup } from './rows/installation/backup.ts'
import { commands } from './rows/installation/commands.ts'
import { engineMemory } from './rows/installation/engine-memory.ts'
import { engines } from './rows/installation/engines.ts'
import { failover } from './rows/installation/failover.ts'
import { idle } from './rows/installation/idle.ts'
import { install } from './rows/installation/install.ts'
import { migrations } from './rows/installation/migrations.ts'
import { purge } from './rows/installation/purge.ts'
import { readStandby } from './rows/installation/read-standby.ts'
import { recovery } from './rows/installation/recovery.ts'
import { slowDisk } from './rows/installation/slow-disk.ts'
import { start } from './rows/installation/start.ts'
import { jobExport } from './rows/job-export.ts'
import { jobList } from './rows/job-list.ts'
import { live } from './rows/live.ts'
import { liveBesideBatch } from './rows/live-beside-batch.ts'
import { longText } from './rows/long-text.ts'
import { pickup } from './rows/pickup.ts'
import { crowd } from './rows/queue/crowd.ts'
import { pipeline, slots } from './rows/queue/drain.ts'
import { pipelineDelivered } from './rows/queue/drain-delivered.ts'
import { fleetBrokenServer } from './rows/queue/fleet-broken-server.ts'
import { fleetPermits } from './rows/queue/fleet-permits.ts'
import { jobCost } from './rows/queue/job-cost.ts'
import { queueOldSnapshot } from './rows/queue/old-snapshot.ts'
import { oneAccount } from './rows/queue/one-account.ts'
import { peers } from './rows/queue/peers.ts'
import { reading } from './rows/reading.ts'
import { render } from './rows/render.ts'
import { slowReaders } from './rows/slow-readers.ts'
import { statistics } from './rows/statistics.ts'
import { statisticsReaders } from './rows/statistics-readers.ts'
import { submit, submitIdempotent } from './rows/submit.ts'
import { tracing } from './rows/tracing.ts'
import { transcodings } from './rows/transcodings.ts'
import { websocket } from './rows/websocket.ts'

/** In the order of the report. */
export const ROWS: readonly Row[] = [
  pickup,
  submit,
  submitIdempotent,
  fleetSubmit,
  tracing,
  catalog,
  jobList,
  graphqlJobs,
  statistics,
  statisticsReaders,
  live,
  jobExport,
  dataJobs,
  slowReaders,
  render,
  start,
  commands,
  idle,
  engineMemory,
  engines,
  install,
  firstAudio,
  door,
  liveBesideBatch,
  websocket,
  longText,
  encoding,
  transcodings,
  captions,
  reading,
  inConsole,
  callbackLatency,
  callbackRate,
  callbackBeside,
  pipeline,
  pipelineDelivered,
  jobCost,
  slots,
  oneAccount,
  fleetBrokenServer,
  slowDisk,
  queueOldSnapshot,
  peers,
  fleetPermits,
  recovery,
  failover,
  readStandby,
  crowd,
  migrations,
  backup,
  purge,
]

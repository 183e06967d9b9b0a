import { requireSystem } from '../access/require.ts'
import { describeError } from '../errors/describe-error.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { audioCheck } from './check-audio.ts'
import { backupCheck, bookCheck, retentionCheck } from './check-books.ts'
import { directoryCheck, secretCheck, storageCheck } from './check-data.ts'
import { indexCheck, partitionCheck, vacuumCheck } from './check-schema.ts'
import {
  addressCheck,
  clockCheck,
  connectionCheck,
  notificationCheck,
  serverCheck,
  standbyCheck,
  timeoutCheck,
} from './check-server.ts'
import { signInCheck } from './check-sign-in.ts'
import { engineCheck, workerCheck } from './check-work.ts'
import { type Check, error, type Finding } from './finding.ts'

const CHECKS: readonly Check<ServiceContext>[] = [
  ...[
    serverCheck,
    standbyCheck,
    connectionCheck,
    timeoutCheck,
    notificationCheck,
    indexCheck,
    vacuumCheck,
    partitionCheck,
  ],
  ...[
    clockCheck,
    addressCheck,
    secretCheck,
    storageCheck,
    directoryCheck,
    engineCheck,
    workerCheck,
    signInCheck,
    bookCheck,
    audioCheck,
  ],
  ...[retentionCheck, backupCheck],
]

/**
 * Runs all checks in order while the engines speak. It writes only one small object, which it deletes.
 * A failing check becomes a finding.
 * @param isMigrated false: leaves out checks that need the schema
 * @throws FORBIDDEN
 */
export async function diagnose(ctx: ServiceContext, isMigrated = true): Promise<Finding[]> {
  requireSystem(ctx)
  const checks = CHECKS.filter((check) => isMigrated || check.needsSchema !== true)
  const spoken = isMigrated ? findingsOf(engineCheck, ctx) : Promise.resolve([])
  const found: (Finding[] | Promise<Finding[]>)[] = []
  for (const check of checks) found.push(check === engineCheck ? spoken : await findingsOf(check, ctx))
  return (await Promise.all(found)).flat()
}

async function findingsOf({ check, run }: Check<ServiceContext>, ctx: ServiceContext): Promise<Finding[]> {
  const found = await run(ctx).catch((cause: unknown) => [uncheckable(cause)])
  return found.map((finding) => ({ check, ...finding }))
}

function uncheckable(cause: unknown) {
  const { name, code, message } = describeError(cause)
  const reason = [name, code, message].filter((part) => part !== undefined).join(': ')
  return error(`could not be checked (${reason})`, 'correct what the error says, and check again')
}

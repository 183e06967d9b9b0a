import type { WorkerRowFragment } from '../operations.ts'
import { serviceCommand } from '../parts/service-command.ts'

/** The pool of all workflows, as the service names it. Every worker takes its jobs, whatever pools it was started with. */
const WORKFLOWS = 'generate.cog'

export const servesPool = ({ pools }: Pick<WorkerRowFragment, 'pools'>, pool: string): boolean =>
  pool === WORKFLOWS || pools.includes(pool)

export const startCommand = (pool: string): string =>
  pool === WORKFLOWS ? serviceCommand('work') : serviceCommand(`work --pools ${pool}`)

import { diagnose } from '../../../src/doctor/diagnose.ts'
import type { ServiceContext } from '../../../src/runtime/services.ts'

/** Doctor's complaints as `check severity: found. remedy`. The tests' PostgreSQL does not wait for its disk. */
export const complaintsOf = async (ctx: ServiceContext): Promise<string[]> =>
  (await diagnose(ctx))
    .filter(({ severity, check }) => severity !== 'ok' && check !== 'PostgreSQL')
    .map(({ check, severity, found, remedy }) => `${check} ${severity}: ${found}. ${remedy}`)

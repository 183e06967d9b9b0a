import { expect, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { openLog } from '../../src/values/log.ts'
import { maintain } from '../../src/worker/maintenance.ts'
import { startTestRuntime } from '../setup/runtime.ts'

test('maintenance that a stopping worker breaks off is no failure, and ends with its last statement', async () => {
  const service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  const { runtime } = service
  const warnings: unknown[] = []
  const log = Object.assign(Object.create(runtime.log), { warn: (fields: object) => warnings.push(fields) })
  // What is left of it finds the pool closed, as after a worker's own end.
  const failing = openDatabase(runtime.settings.databaseUrl ?? '', openLog('silent'))
  await failing.close()
  await maintain({ ...runtime, db: failing, log })()
  expect(warnings).toEqual([])
  await service.close()
})

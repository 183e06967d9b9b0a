import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { openDatabaseReadings } from '../../../src/server/metrics/database-readings.ts'
import { NO_TELEMETRY, type Telemetry } from '../../../src/telemetry/telemetry.ts'
import { openLog } from '../../../src/values/log.ts'

const NO_CATALOG = { current: { endpoints: new Map(), workflows: new Map() } } as never

test('while the database is away the free space is shown, and nothing that only the database knows', async () => {
  const log = openLog('silent')
  const db = openDatabase('postgresql://nobody@127.0.0.1:1/nothing', log)
  const gauges = new Map<string, () => Iterable<{ readonly value: number }>>()
  const gauge: Telemetry['gauge'] = (name, read) => {
    gauges.set(name, read)
    return () => undefined
  }
  const settings = { ...readSettings({}), dataDir: tmpdir() }
  const telemetry = { ...NO_TELEMETRY, gauge }
  await openDatabaseReadings({ catalog: NO_CATALOG, db, log, settings, telemetry, now: () => new Date() })()
  await db.close()
  const shown = [...gauges].flatMap(([name, read]) => [...read()].map(({ value }) => [name, value > 0]))
  expect(shown).toEqual([
    ['data_free_bytes', true],
    ['data_size_bytes', true],
  ])
})

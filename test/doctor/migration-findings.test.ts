import { expect, test } from 'vitest'
import { REPAIR } from '../../src/db/migrations/ledger.ts'
import { migrationFindings } from '../../src/doctor/migration-findings.ts'

const PENDING = ['2_b', '3_c']
const FAILED = { name: '1_a', reason: 'no' }

test('a migration that failed comes before those that are pending, which are applied once it is mended', () => {
  expect(migrationFindings({ pending: PENDING, newer: [], failed: [{ ...FAILED, isKnown: true }] })).toEqual([
    { check: 'migrations', severity: 'error', found: '1_a failed half-way: no', remedy: REPAIR },
    {
      check: 'migrations',
      severity: 'error',
      found: '2 pending, from 2_b on',
      remedy: 'mend what failed, then run npx sonant migrate, or start the service',
    },
  ])
})

test('a failed migration of a newer version holds up none that is pending', () => {
  expect(migrationFindings({ pending: PENDING, newer: [], failed: [{ ...FAILED, isKnown: false }] })[1]).toMatchObject({
    found: '2 pending, from 2_b on',
    remedy: 'run npx sonant migrate, or start the service',
  })
})

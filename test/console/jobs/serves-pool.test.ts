import { expect, test } from 'vitest'
import { servesPool, startCommand } from '../../../src/console/jobs/serves-pool.ts'

test('a worker serves the pools that it was started with, and every worker that of workflows', () => {
  const worker = { pools: ['gpu', 'night'] }
  expect(['night', 'batch', 'generate.cog'].map((pool) => servesPool(worker, pool))).toEqual([true, false, true])
  expect(['night', 'generate.cog'].map(startCommand)).toEqual(['npx sonant work --pools night', 'npx sonant work'])
})

import { expect, test } from 'vitest'
import { deleteEndpoint } from '../../../../src/catalog/change-catalog.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { applyEndpoint } from '../../../setup/jobs/voice-jobs.ts'
import type { OpenedConsole } from '../opened-console.ts'

/** Journeys of operators through the queues. */
export function poolJourneys(opened: () => OpenedConsole): void {
  test('a queue says where its engine is and how much of it goes on at once', async () => {
    const { service, owner, at } = opened()
    const { runtime } = service
    await applyEndpoint(runtime, 'far', { pool: 'rack', base_url: 'http://rack-1:8091/speech', max_in_flight: 3 })
    await applyEndpoint(runtime, 'own', { pool: 'owned', base_url: 'worker', max_in_flight: 5 })
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('operator'))
    const line = (pool: string) => page.getByRole('row').filter({ has: page.getByText(pool, { exact: true }) })
    await line('rack').getByText('http://rack-1:8091/speech · at most 3 at once').waitFor()
    await line('owned').getByText("each worker's own server · at most 5 at once").waitFor()
    await line('espeak').getByText('engine inside the workers').waitFor()
    expect([await flaws(page, 'pools'), complaints]).toEqual([[], []])
    for (const slug of ['far', 'own']) await deleteEndpoint(runtime.as({ kind: 'system' }), { slug })
    await page.close()
  })
}

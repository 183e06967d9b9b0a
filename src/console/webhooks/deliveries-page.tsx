import { at } from '../api/base.ts'
import { Crumb, Page } from '../parts/page.tsx'
import { useAddress } from '../parts/use-address.ts'
import { Deliveries } from './deliveries.tsx'
import { LastDay } from './last-day.tsx'

/** What became of each delivery, after what became of those of the last day. */
export function DeliveriesPage() {
  const isPaused = useAddress().query.live === 'off'
  return (
    <Page title="Deliveries" crumb={<Crumb href={at('/webhooks')}>Webhooks</Crumb>} isPaused={isPaused}>
      <LastDay />
      <Deliveries />
    </Page>
  )
}

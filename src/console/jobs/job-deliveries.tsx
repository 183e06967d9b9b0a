import { ask } from '../api/ask.ts'
import { useAction } from '../api/use-action.ts'
import { type DeliveryRowFragment, redeliver } from '../operations.ts'
import { Failure } from '../parts/failure.tsx'
import { toast } from '../parts/toast.tsx'
import { DeliveriesTable } from '../webhooks/deliveries-table.tsx'
import { useLiveDeliveries } from '../webhooks/use-live-deliveries.ts'

interface JobDeliveriesProps {
  readonly jobId: string
  readonly deliveries: readonly DeliveryRowFragment[]
  /** They are asked for anew. */
  readonly askedAt: number
  readonly onSent: () => void
}

/** The webhooks of a job's end as they change; each can be sent again. */
export function JobDeliveries({ jobId, deliveries, askedAt, onSent }: JobDeliveriesProps) {
  const { rows } = useLiveDeliveries(deliveries, askedAt, { filter: { jobId } })
  const again = useAction(async (id: string) => {
    await ask(redeliver, { id })
    toast('The delivery is sent again.')
    onSent()
  })
  return (
    <section class="card">
      <div class="card-head">
        <h2>Webhook deliveries</h2>
      </div>
      {again.failure !== null && <Failure failure={again.failure} />}
      <DeliveriesTable deliveries={rows} ofJob={{ isOff: again.isOff, onAgain: (id) => void again.run(id) }} />
    </section>
  )
}

import { describedEnum } from '../graphql/scalars.ts'
import type { DeliveryState } from './delivery/webhook-delivery.ts'

export const DeliveryStateEnum = describedEnum<DeliveryState>(
  'WebhookDeliveryState',
  'State of a delivery. SUCCEEDED and FAILED are final until it is sent again by hand.',
  {
    pending: 'An attempt runs, or another one follows.',
    succeeded: 'The receiver answered 2xx.',
    failed: 'No attempt follows.',
  },
)

import type { DeliveryPort } from '../jobs/lifecycle/job-end.ts'
import type { DeliveryParts } from './payload-snapshot.ts'

const creating = () => import('./delivery/create-delivery.ts')

/** A process that ends jobs loads this code at its start, because an upgrade may replace the files. */
export const loadDeliveries = (): Promise<unknown> => creating()

/** Loads the delivery code at first use, to keep short commands light. */
export function openDeliveryPort(parts: () => DeliveryParts): DeliveryPort {
  let createWithEnd: DeliveryPort['createWithEnd'] | undefined
  return {
    create: async (tx, job, url) => {
      const { createDelivery } = await creating()
      return createDelivery(parts(), tx, { ...job, kind: 'job' }, url)
    },
    createWithEnd: async (job, end) => {
      const { openCreateWithEnd } = await creating()
      createWithEnd ??= openCreateWithEnd(parts())
      return createWithEnd(job, end)
    },
  }
}

/** Screens that users open rarely. They share one file that the first load does without. */
export { ApiKeysPage } from '../api-keys/api-keys-page.tsx'
export { AuditPage } from '../audit/audit-page.tsx'
export { PeoplePage } from '../people/people-page.tsx'
export { ProfilePage } from '../profile/profile-page.tsx'
export { DeliveriesPage } from '../webhooks/deliveries-page.tsx'
export { DeliveryPage } from '../webhooks/delivery/delivery-page.tsx'
export { WebhooksPage } from '../webhooks/webhooks-page.tsx'

import { type ServiceInfo, STORAGE_KINDS, type StorageKind, service } from '../context/service.ts'
import { MAX_BODY_BYTES } from '../http/json-body.ts'
import { MAX_EXPORTED_JOBS } from '../jobs/export/export-jobs.ts'
import { builder } from './builder.ts'
import { resolvedBy } from './resolved-by.ts'
import { describedEnum } from './scalars.ts'

const StorageKindEnum = describedEnum<StorageKind>('StorageKind', 'Where files are kept.', STORAGE_KINDS)

const LimitsRef = builder.objectRef<ServiceInfo>('ServiceLimits').implement({
  description: 'What requests may hold. Limits of texts are in the schema of their endpoint.',
  fields: (t) => ({
    requestsPerMinute: t.exposeInt('requestsPerMinute', {
      nullable: true,
      description: 'Of a key or a session; null: any number.',
    }),
    bodyBytes: t.int({ description: 'Of a JSON body.', resolve: () => MAX_BODY_BYTES }),
    exportJobs: t.int({ description: 'Jobs of one export.', resolve: () => MAX_EXPORTED_JOBS }),
  }),
})

const ServiceRef = builder.objectRef<ServiceInfo>('Service').implement({
  description: 'What this service is.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Its version.' }),
    publicUrl: t.expose('publicUrl', { type: 'URL', description: 'The start of every address that it hands out.' }),
    storage: t.field({
      type: StorageKindEnum,
      description: 'Where files are kept.',
      resolve: ({ storage }) => storage,
    }),
    limits: t.field({ type: LimitsRef, description: 'What requests may hold.', resolve: (info) => info }),
  }),
})

builder.queryField('service', (t) =>
  t.field({
    type: ServiceRef,
    description: 'Version, address and limits of this service. Needs a key or a signed-in user.',
    ...resolvedBy(service, () => undefined),
  }),
)

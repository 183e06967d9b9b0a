import { type ServiceInfo, STORAGE_KINDS, type StorageKind, service } from '../context/service.ts'
import { MAX_BODY_BYTES } from '../http/json-body.ts'
import { MAX_EXPORTED_JOBS } from '../jobs/export/export-jobs.ts'
import { builder } from './builder.ts'
import { resolvedBy } from './resolved-by.ts'
import { describedEnum } from './scalars.ts'

const StorageKindEnum = describedEnum<StorageKind>('StorageKind', 'Place where the service keeps files.', STORAGE_KINDS)

const LimitsRef = builder.objectRef<ServiceInfo>('ServiceLimits').implement({
  description: 'Limits of requests. Limits of texts are in the schema of their endpoint.',
  fields: (t) => ({
    requestsPerMinute: t.exposeInt('requestsPerMinute', {
      nullable: true,
      description: 'Requests that a key or a session may send in a minute; null if there is no limit.',
    }),
    bodyBytes: t.int({ description: 'Largest JSON body of a REST request, in bytes.', resolve: () => MAX_BODY_BYTES }),
    exportJobs: t.int({ description: 'Largest number of jobs in one export.', resolve: () => MAX_EXPORTED_JOBS }),
  }),
})

const ServiceRef = builder.objectRef<ServiceInfo>('Service').implement({
  description: 'Version, address and limits of this service.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Version of the service.' }),
    publicUrl: t.expose('publicUrl', { type: 'URL', description: 'Start of every URL that the service returns.' }),
    storage: t.field({
      type: StorageKindEnum,
      description: 'Place where the service keeps files.',
      resolve: ({ storage }) => storage,
    }),
    keepsTexts: t.exposeBoolean('keepsTexts', {
      description:
        'True if ended jobs keep their texts. Otherwise `textExcerpt`, captions and words of times are null, `words` finds only unfinished jobs, and none is retried.',
    }),
    limits: t.field({ type: LimitsRef, description: 'Limits of requests.', resolve: (info) => info }),
  }),
})

builder.queryField('service', (t) =>
  t.field({
    type: ServiceRef,
    description: 'Version, address and limits of this service. Needs a key or a signed-in user.',
    ...resolvedBy(service, () => undefined),
  }),
)

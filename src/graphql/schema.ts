import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { builder } from './builder.ts'
import './node.ts'
import './request-error.ts'
import './scalars.ts'
import './service-graphql.ts'
import { addOwnFields } from './viewer.ts'
import '../accounts/account-graphql.ts'
import '../accounts/audit-graphql.ts'
import '../accounts/credit-graphql.ts'
import '../api-keys/api-key-graphql.ts'
import '../companion/companion-graphql.ts'
import '../catalog/endpoint-graphql.ts'
import '../catalog/endpoint-management-graphql.ts'
import '../generation/generation-graphql.ts'
import '../jobs/graphql/job-live-graphql.ts'
import '../jobs/graphql/job-management-graphql.ts'
import '../jobs/graphql/job-operator-graphql.ts'
import '../jobs/graphql/jobs-graphql.ts'
import '../jobs/graphql/job-stats-graphql.ts'
import '../jobs/graphql/job-types-graphql.ts'
import '../jobs/graphql/voice-job-graphql.ts'
import '../jobs/graphql/voice-jobs-graphql.ts'
import '../lexicon/lexicon-graphql.ts'
import '../library/account-voice-graphql.ts'
import '../users/user-graphql.ts'
import '../users/user-management-graphql.ts'
import '../voice/peaks-graphql.ts'
import '../voice/reading-graphql.ts'
import '../voice/trials/trials-graphql.ts'
import '../webhooks/webhook-deliveries-graphql.ts'
import '../webhooks/webhook-graphql.ts'
import '../worker/engines/engine-graphql.ts'
import '../worker/worker-graphql.ts'

export function buildGraphqlSchema(): GraphQLSchema {
  const schema = builder.toSchema()
  addOwnFields(schema)
  return schema
}

export const printGraphqlSchema = (): string => `${printSchema(lexicographicSortSchema(buildGraphqlSchema()))}\n`

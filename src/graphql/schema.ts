import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { builder } from './builder.ts'
import './node.ts'
import './refusal.ts'
import './scalars.ts'
import '../accounts/account-graphql.ts'
import '../accounts/credit-graphql.ts'
import '../api-keys/api-key-graphql.ts'
import '../companion/companion-graphql.ts'
import '../endpoints/endpoint-graphql.ts'
import '../endpoints/endpoint-management-graphql.ts'
import '../endpoints/endpoint-settings-graphql.ts'
import '../generation/generation-graphql.ts'
import '../jobs/job-live-graphql.ts'
import '../jobs/job-management-graphql.ts'
import '../jobs/job-page-graphql.ts'
import '../jobs/job-stats-graphql.ts'
import '../jobs/jobs-graphql.ts'
import '../jobs/voice-job-graphql.ts'
import '../users/user-graphql.ts'
import '../webhooks/webhook-delivery-graphql.ts'
import '../webhooks/webhook-graphql.ts'
import '../workers/worker-graphql.ts'

export const buildGraphqlSchema = (): GraphQLSchema => builder.toSchema()

/** The content of schema.graphql. */
export const printGraphqlSchema = (): string => `${printSchema(lexicographicSortSchema(buildGraphqlSchema()))}\n`

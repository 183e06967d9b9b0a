import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { builder } from './builder.ts'
import './scalars.ts'
import '../endpoints/endpoint-graphql.ts'
import '../jobs/job-graphql.ts'
import '../workers/worker-graphql.ts'

export const buildGraphqlSchema = (): GraphQLSchema => builder.toSchema()

/** The content of schema.graphql. */
export const printGraphqlSchema = (): string => `${printSchema(lexicographicSortSchema(buildGraphqlSchema()))}\n`

import {
  ApolloClient,
  ApolloLink,
  type FieldMergeFunction,
  type FieldPolicy,
  type FieldReadFunction,
  HttpLink,
  InMemoryCache,
  type Reference,
  type TypePolicies,
} from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { relayStylePagination } from '@apollo/client/utilities'
import { OperationTypeNode } from 'graphql'
import type { Client as Socket } from 'graphql-ws'
import { replacedLists } from './changed-lists.ts'
import { possibleTypes, singleTypes, typesWithoutId } from './schema-types.ts'

const PLACES = ['first', 'last', 'after', 'before']

/** `edges` of pages, as Apollo joins them. */
const edges = relayStylePagination() as { readonly read: FieldReadFunction; readonly merge: FieldMergeFunction }

/** The pages of a connection are one list for each value of its other arguments: `edges`, and `nodes`, which have no cursors. */
const pages: FieldPolicy = {
  keyArgs: (args) => Object.keys(args ?? {}).filter((name) => !PLACES.includes(name)),
  merge(before, page, options) {
    // The caller may not read the list any more.
    if (page === null) return page
    const { args, readField } = options
    const joined = edges.merge(before, page, options)
    if (!page.nodes || !before?.nodes || !(args?.after || args?.before)) return joined
    const idOf = (node: Reference) => readField('id', node) ?? node
    const ids = new Set(page.nodes.map(idOf))
    const others = before.nodes.filter((node: Reference) => !ids.has(idOf(node)))
    const nodes = args.after ? [...others, ...page.nodes] : [...page.nodes, ...others]
    if (page.edges) return { ...joined, nodes }
    // Without edges, Apollo takes a page for the whole list: where the list begins or ends, the pages before say.
    const kept = args.after ? ['hasPreviousPage', 'startCursor'] : ['hasNextPage', 'endCursor']
    const outer = Object.fromEntries(kept.map((name) => [name, before.pageInfo[name]]))
    return { ...joined, nodes, pageInfo: { ...joined.pageInfo, ...outer } }
  },
  read(list, options) {
    const all = edges.read(list, options)
    // Edges that no query has asked for are unknown, rather than none.
    return list?.nodes?.length && !list.edges.length ? { ...all, edges: undefined } : all
  },
}

const pagesOf = (...fields: string[]) => Object.fromEntries(fields.map((field) => [field, pages]))
const BOTH = ['jobs', 'apiKeys', 'users', 'creditEntries', 'auditEntries']

/** Some types have one object for each caller; all others are known by their `id`, or belong to the object that has them. */
export const typePolicies: TypePolicies = {
  ...Object.fromEntries(typesWithoutId.map((type) => [type, { merge: true }])),
  ...Object.fromEntries(singleTypes.map((type) => [type, { keyFields: [] }])),
  ...replacedLists,
  Pool: { keyFields: ['name'] },
  Query: { fields: pagesOf(...BOTH, 'allJobs', 'accounts', 'endpoints', 'projects', 'workflows', 'webhookDeliveries') },
  Viewer: { keyFields: [], fields: pagesOf(...BOTH, 'deliveries') },
}

export const openApollo = (uri: string, key: string, socket: Socket): ApolloClient =>
  new ApolloClient({
    cache: new InMemoryCache({ possibleTypes, typePolicies }),
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      new GraphQLWsLink(socket),
      new HttpLink({ uri, headers: { authorization: `Bearer ${key}` } }),
    ),
  })

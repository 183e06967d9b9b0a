import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, type TypePolicies } from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { relayStylePagination } from '@apollo/client/utilities'
import { OperationTypeNode } from 'graphql'
import type { Client as Socket } from 'graphql-ws'
import { replacedLists } from './changed-lists.ts'
import { possibleTypes, singleTypes } from './schema-types.ts'

/** Pages are one list for each value of the other arguments. */
const pages = {
  jobs: relayStylePagination(['filter', 'orderBy']),
  apiKeys: relayStylePagination(),
  users: relayStylePagination(),
  creditEntries: relayStylePagination(['kinds', 'createdAt']),
  auditEntries: relayStylePagination(['actions', 'createdAt']),
}

/** Some types have one object for each caller; all others are known by their `id`, or belong to the object that has them. */
export const typePolicies: TypePolicies = {
  ...Object.fromEntries(singleTypes.map((type) => [type, { keyFields: [] }])),
  ...replacedLists,
  Pool: { keyFields: ['name'] },
  Query: {
    fields: { ...pages, webhookDeliveries: relayStylePagination(['filter']) },
  },
  Viewer: { keyFields: [], fields: { ...pages, deliveries: relayStylePagination(['filter']) } },
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

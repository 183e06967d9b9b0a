import { describeReadings } from './readings.ts'

describeReadings('Portuguese', {
  cardinal: `
    Tem 2 irmãs, 1 irmão e 21 primas. | Tem duas irmãs, um irmão e vinte e uma primas.
    Havia 200 casas e 700 carros. | Havia duzentas casas e setecentos carros.
    A cidade tem 1.250.300 habitantes. | A cidade tem um milhão duzentos e cinquenta mil e trezentos habitantes.
    Vendeu 2 mil camisas e 32 mil ingressos. | Vendeu duas mil camisas e trinta e dois mil ingressos.
    São 1.100 alunos e 1.101 alunas. | São mil e cem alunos e mil cento e uma alunas.
  `,
  ordinal: `
    Mora no 4º andar, 2ª porta. | Mora no quarto andar, segunda porta.
    É a 25ª edição do festival. | É a vigésima quinta edição do festival.
    Chegou em 11º lugar. | Chegou em décimo primeiro lugar.
    O art. 7º da lei. | O artigo sétimo da lei.
  `,
  decimal: `
    O índice subiu 0,75 ponto. | O índice subiu zero vírgula sete cinco ponto.
    A média foi 7,2. | A média foi sete vírgula dois.
    Usa a versão 4.2 do programa. | Usa a versão quatro ponto dois do programa.
  `,
  fraction: `
    Ponha 1/2 colher de sal e 3/4 de litro de caldo. | Ponha meia colher de sal e três quartos de litro de caldo.
    Votaram 2/3 dos sócios. | Votaram dois terços dos sócios.
    Faltam 1/15 e 7/8 do total. | Faltam um quinze avos e sete oitavos do total.
  `,
  money: `
    O ingresso custa R$ 15,50. | O ingresso custa quinze reais e cinquenta centavos.
    Pagou 1 £ e deve 2 £. | Pagou uma libra e deve duas libras.
    O resgate custou R$ 2,4 bilhões. | O resgate custou dois vírgula quatro bilhões de reais.
    Vale US$ 3,25 em Miami. | Vale três dólares americanos e vinte e cinco centavos em Miami.
    Só R$ 4,99/mês. | Só quatro reais e noventa e nove centavos por mês.
    Gastou 2 milhões de euros. | Gastou dois milhões de euros.
    Custa R$ 3/kg. | Custa três reais por quilograma.
  `,
  measure: `
    Corre a 12 km/h. | Corre a doze quilômetros por hora.
    Mede 1,75 m e pesa 72 kg. | Mede um vírgula sete cinco metros e pesa setenta e dois quilos.
    A sala tem 24 m². | A sala tem vinte e quatro metros quadrados.
    O leite está a 4 °C. | O leite está a quatro graus Celsius.
    Gasta 2 l e 250 ml. | Gasta dois litros e duzentos e cinquenta mililitros.
    Caiu 8% ontem. | Caiu oito por cento ontem.
    Esperou 2 h e 30 min. | Esperou duas horas e trinta minutos.
    Potência máx.: 200 W e 0,5 kWh/dia | Potência máxima: duzentos watts e zero vírgula cinco quilowatts-hora por dia
    Está no km 21. | Está no quilômetro vinte e um.
  `,
  date: `
    Nasceu em 3 de abril de 1999. | Nasceu em três de abril de mil novecentos e noventa e nove.
    A consulta é em 07/11/2025. | A consulta é em sete de novembro de dois mil e vinte e cinco.
    Encontraram-se no dia 2/12 às 8h20. | Encontraram-se no dia dois de dezembro às oito horas e vinte.
    Publicado em 2023-10-05. | Publicado em cinco de outubro de dois mil e vinte e três.
    O dia 1 de janeiro é feriado. | O dia primeiro de janeiro é feriado.
    Reunião: sexta-feira 3/2, 10:00-11:30 | Reunião: sexta-feira três de fevereiro, dez horas a onze horas e trinta
    A Grande Guerra (1914-18). | A Grande Guerra (mil novecentos e catorze a dezoito).
  `,
  time: `
    Janta às 21:15. | Janta às vinte e uma horas e quinze.
    O trem sai às 6h30. | O trem sai às seis horas e trinta.
    Abre das 9h às 14h. | Abre das nove horas às catorze horas.
    Chega às 2 da tarde e sai às 21. | Chega às duas da tarde e sai às vinte e uma.
  `,
  telephone: `
    Ligue para (21) 3344-5566. | Ligue para dois um, três três quatro quatro, cinco cinco seis seis.
    Meu número é +55 21 99876-5432. | Meu número é mais cinco cinco, dois um, nove nove oito sete seis, cinco quatro três dois.
    O CPF é 123.456.789-00. | O C P F é um dois três quatro cinco seis sete oito nove zero zero.
    CEP 01310-200 | CEP zero um três um zero dois zero zero
  `,
  range: `
    Leia as páginas 12-18. | Leia as páginas doze a dezoito.
    A guerra de 1914-1918. | A guerra de mil novecentos e catorze a mil novecentos e dezoito.
    Asse 20-25 minutos. | Asse vinte a vinte e cinco minutos.
    Tirou 9,5/10. | Tirou nove vírgula cinco de dez.
  `,
  roman: `
    O século XV e o século V. | O século quinze e o século quinto.
    Os séculos XVII e XVIII. | Os séculos dezessete e dezoito.
    Dom João VI e Pedro II. | Dom João sexto e Pedro segundo.
    A rainha Isabel II. | A rainha Isabel segunda.
    O capítulo IX do volume II. | O capítulo nove do volume dois.
    O III Congresso e a V Feira. | O terceiro Congresso e a quinta Feira.
    Luís XVI foi o último. | Luís dezesseis foi o último.
    Nasceu no séc. XIX, cap. XII. | Nasceu no século dezenove, capítulo doze.
  `,
  score: `
    O Santos venceu o Bahia por 4-2. | O Santos venceu o Bahia por quatro a dois.
    Guga venceu por 6-4, 3-6 e 7-5. | Guga venceu por seis a quatro, três a seis e sete a cinco.
  `,
  electronic: `
    Escreva para luis@gmail.com. | Escreva para l u i s arroba gmail ponto com.
    Visite www.gov.br/ajuda. | Visite w w w ponto g o v ponto br barra a j u d a.
    Siga @mar_7 e #DiaDoLivro | Siga arroba m a r sublinhado sete e cerquilha Dia Do Livro
  `,
  serial: `
    Um voo no A380. | Um voo no A trezentos e oitenta.
    O art. 21.3 da Lei 12/2009 | O artigo vinte e um ponto três da Lei doze de dois mil e nove
  `,
  math: `
    5 + 3 = 8 | cinco mais três igual a oito
    x³ ≤ 10 | x ao cubo menor ou igual a dez
    O CO₂ do ar. | O C O dois do ar.
    Quanto é 7 × 8? | Quanto é sete vezes oito?
  `,
  abbreviation: `
    O Sr. Reis e a Dra. Lima. | O senhor Reis e a doutora Lima.
    Moram na Av. Brasil, nº 5. | Moram na avenida Brasil, número cinco.
    Comprou pão, fruta, etc. | Comprou pão, fruta, et cetera.
    Mora nos EUA. | Mora nos Estados Unidos.
    Morreu em 31 a.C. | Morreu em trinta e um antes de Cristo.
    A pág. 8 e o cap. 12. | A página oito e o capítulo doze.
  `,
  acronym: `
    O PIB e a ONU, o STF e o PT. | O PIB e a ONU, o S T F e o P T.
  `,
  symbol: `
    Reis & Filhos © 2020 | Reis e Filhos copyright dois mil e vinte
    100 ± 5 | cem mais ou menos cinco
  `,
})

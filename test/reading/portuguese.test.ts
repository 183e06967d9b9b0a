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
    Gol no 2ºT. | Gol no segundo T.
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
    Ponha 2 ½ xícaras, ¼ kg e 1 ½ l. | Ponha duas xícaras e meia, um quarto de quilo e um litro e meio.
    Queimaram 2/3 partes; 1/4 das casas. | Queimaram duas terças partes; um quarto das casas.
    Nota: 8/10; pág. 2/6; pressão 13/8. | Nota: oito de dez; página dois de seis; pressão treze por oito.
  `,
  money: `
    A obra custa R$ 1,3 milhão e US$ 2,3 milhões. | A obra custa um vírgula três milhão de reais e dois vírgula três milhões de dólares americanos.
    O ingresso custa R$ 15,50. | O ingresso custa quinze reais e cinquenta centavos.
    Pagou 1 £ e deve 2 £. | Pagou uma libra e deve duas libras.
    O resgate custou R$ 2,4 bilhões. | O resgate custou dois vírgula quatro bilhões de reais.
    Vale US$ 3,25 em Miami. | Vale três dólares americanos e vinte e cinco centavos em Miami.
    Só R$ 4,99/mês. | Só quatro reais e noventa e nove centavos por mês.
    Gastou 2 milhões de euros. | Gastou dois milhões de euros.
    Custa R$ 3/kg. | Custa três reais por quilograma.
    Paga U$ 20 ou A$ 3. | Paga vinte dólares americanos ou três dólares australianos.
    Em 12x de R$ 9 ou 2x sem juros. | Em doze vezes de nove reais ou duas vezes sem juros.
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
    Gasta 6 l/100 km, 90 casos/100 mil hab. | Gasta seis litros a cada cem quilômetros, noventa casos a cada cem mil habitantes.
    São 80 m2, 3 dorm. e 50 bpm. | São oitenta metros quadrados, três dormitórios e cinquenta batimentos por minuto.
    Compre um monitor de 27" e 3 col. de sal, 2 xíc. de leite. | Compre um monitor de vinte e sete polegadas e três colheres de sal, duas xícaras de leite.
    Hoje, máx. 32º; vel. máx. 50 km/h. | Hoje, máximo trinta e dois graus; velocidade máxima cinquenta quilômetros por hora.
    Mede 2 m x 80 cm. | Mede dois metros por oitenta centímetros.
    Uma caixa de 30 x 20 x 10 cm e um cabo de 2 x 1,5 mm². | Uma caixa de trinta por vinte por dez centímetros e um cabo de dois por um vírgula cinco milímetros quadrados.
    Paga R$ 0,20/ação. Suba para 200º em 110/220 V. | Paga vinte centavos por ação. Suba para duzentos graus em cento e dez barra duzentos e vinte volts.
  `,
  date: `
    Nasceu em 3 de abril de 1999. | Nasceu em três de abril de mil novecentos e noventa e nove.
    A consulta é em 07/11/2025. | A consulta é em sete de novembro de dois mil e vinte e cinco.
    Encontraram-se no dia 2/12 às 8h20. | Encontraram-se no dia dois de dezembro às oito horas e vinte.
    Publicado em 2023-10-05. | Publicado em cinco de outubro de dois mil e vinte e três.
    O dia 1 de janeiro é feriado. | O dia primeiro de janeiro é feriado.
    Reunião: sexta-feira 3/2, 10:00-11:30 | Reunião: sexta-feira três de fevereiro, dez horas a onze horas e trinta
    A Grande Guerra (1914-18). | A Grande Guerra (mil novecentos e catorze a dezoito).
    Vejo você hoje, 9/11, e na terça, 14/7. | Vejo você hoje, nove de novembro, e na terça, catorze de julho.
    Ano 2022/23, fatura nº 2024/007, desde 04/2024. | Ano dois mil e vinte e dois vinte e três, fatura número dois mil e vinte e quatro barra zero zero sete, desde abril de dois mil e vinte e quatro.
    Abre seg.-sex. e fecha sáb., 12h. | Abre segunda a sexta e fecha sábado, doze horas.
    De jan.-mar. 2023 ao 2T24, 9/set/2021. | De janeiro a março de dois mil e vinte e três ao segundo trimestre de dois mil e vinte e quatro, nove de setembro de dois mil e vinte e um.
    Volto na 3ª-feira. Do 44 d.C. ao séc. XV-XVI. | Volto na terça-feira. Do quarenta e quatro depois de Cristo ao século quinze a dezesseis.
    Nasceu em 4-IX-1931. | Nasceu em quatro de setembro de mil novecentos e trinta e um.
  `,
  time: `
    Janta às 21:15. | Janta às vinte e uma horas e quinze.
    O trem sai às 6h30. | O trem sai às seis horas e trinta.
    Abre das 9h às 14h. | Abre das nove horas às catorze horas.
    Chega às 2 da tarde e sai às 21. | Chega às duas da tarde e sai às vinte e uma.
    Gols aos 12' e aos 45'+2'. | Gols aos doze minutos e aos quarenta e cinco mais dois minutos.
    Levou 2'35'' e 1:58.332. | Levou dois minutos e trinta e cinco segundos e um minuto e cinquenta e oito vírgula três três dois segundos.
    Dura 3min20s, das 8h30-14h. | Dura três minutos e vinte segundos, das oito horas e trinta a catorze horas.
    Disse: "quero 20". | Disse: "quero vinte".
    Correu em 1min05s123 e em 2h04min10s. | Correu em um minuto e cinco vírgula um dois três segundos e em duas horas, quatro minutos e dez segundos.
    Chegou a 12" do líder. | Chegou a doze segundos do líder.
    Tome 1 comp. de 8/8 h. | Tome um comprimido de oito em oito horas.
  `,
  telephone: `
    Ligue para (21) 3344-5566. | Ligue para dois um, três três quatro quatro, cinco cinco seis seis.
    Meu número é +55 21 99876-5432. | Meu número é mais cinco cinco, dois um, nove nove oito sete seis, cinco quatro três dois.
    O CPF é 123.456.789-00. | O C P F é um dois três quatro cinco seis sete oito nove zero zero.
    CEP 01310-200 | CEP zero um três um zero dois zero zero
    O CNPJ é 11.222.333/0001-44 e a c/c 4321-0. | O C N P J é um um dois dois dois três três três zero zero zero um quatro quatro e a conta corrente quatro três dois um zero.
    Meu número é 21 3344 5566; CEP 4000-123 Porto. | Meu número é dois um, três três quatro quatro, cinco cinco seis seis; CEP quatro zero zero zero um dois três Porto.
  `,
  range: `
    Leia as páginas 12-18. | Leia as páginas doze a dezoito.
    A guerra de 1914-1918. | A guerra de mil novecentos e catorze a mil novecentos e dezoito.
    Asse 20-25 minutos. | Asse vinte a vinte e cinco minutos.
    Tirou 9,5/10. | Tirou nove vírgula cinco de dez.
    Há 1.500-2.000 vagas na escala 1:50. | Há mil e quinhentas a duas mil vagas na escala um a cinquenta.
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
    A R. XV de Novembro; D. Maria II. | A rua quinze de Novembro; dona Maria segunda.
    Os sécs. XII e XIII; o Vaticano II. | Os séculos doze e treze; o Vaticano segundo.
  `,
  score: `
    O Santos venceu o Bahia por 4-2. | O Santos venceu o Bahia por quatro a dois.
    Guga venceu por 6-4, 3-6 e 7-5. | Guga venceu por seis a quatro, três a seis e sete a cinco.
    Bahia 2 x 1 Vitória. Venceu por 6/3 e 7/5. | Bahia dois a um Vitória. Venceu por seis a três e sete a cinco.
    Brasil x Chile terminou 1x1. | Brasil contra Chile terminou um a um.
    Venceu por 6/4 e 7/6 (7/3). | Venceu por seis a quatro e sete a seis (sete a três).
  `,
  electronic: `
    Escreva para luis@gmail.com. | Escreva para l u i s arroba gmail ponto com.
    Visite www.gov.br/ajuda. | Visite w w w ponto g o v ponto br barra a j u d a.
    Siga @mar_7 e #DiaDoLivro | Siga arroba m a r sublinhado sete e cerquilha Dia Do Livro
    Abra carta_abril.doc já. | Abra c a r t a sublinhado a b r i l ponto d o c já.
  `,
  serial: `
    A placa XYZ-5678 e o carro 34-CD-56. | A placa X Y Z cinco seis sete oito e o carro três quatro C D cinco seis.
    Um voo no A380. | Um voo no A trezentos e oitenta.
    O art. 21.3 da Lei 12/2009 | O artigo vinte e um ponto três da Lei doze de dois mil e nove
    O voo JJ1234 e a sala 4C. | O voo J J mil duzentos e trinta e quatro e a sala quatro C.
    O código AB12CD34EF e a CF/88 | O código A B um dois C D três quatro E F e a C F barra oitenta e oito
    HDMI 1.4 e tabela 3.2. | HDMI um ponto quatro e tabela três ponto dois.
    A MP 33/2013 e o DL nº 5/92. | A M P trinta e três de dois mil e treze e o D L número cinco de noventa e dois.
    Soma 20 pontos (5V, 5E, 3D). | Soma vinte pontos (cinco V, cinco E, três D).
  `,
  math: `
    5 + 3 = 8 | cinco mais três igual a oito
    x³ ≤ 10 | x ao cubo menor ou igual a dez
    O CO₂ do ar. | O C O dois do ar.
    Quanto é 7 × 8? | Quanto é sete vezes oito?
    O SO2 e o NaCl. | O S O dois e o N A C L.
    8:4=2; 9-3=6; 4·5=20; y² - 2y = 0 | oito dividido por quatro igual a dois; nove menos três igual a seis; quatro vezes cinco igual a vinte; y ao quadrado menos dois y igual a zero
    Uns 3·10⁶ m. | Uns três vezes dez elevado a seis metros.
  `,
  abbreviation: `
    a Cia. Vega e o Cel. Lima | a companhia Vega e o coronel Lima
    Uma fruta, p.ex. uma pera. | Uma fruta, por exemplo uma pera.
    O Sr. Reis e a Dra. Lima. | O senhor Reis e a doutora Lima.
    Moram na Av. Brasil, nº 5. | Moram na avenida Brasil, número cinco.
    Comprou pão, fruta, etc. | Comprou pão, fruta, et cetera.
    Mora nos EUA. | Mora nos Estados Unidos.
    Morreu em 31 a.C. | Morreu em trinta e um antes de Cristo.
    A pág. 8 e o cap. 12. | A página oito e o capítulo doze.
    Trabalha na Gil S.A. Depois come, etc. Logo dorme. | Trabalha na Gil sociedade anônima. Depois come, et cetera. Logo dorme.
    O Min. Lobo, a N. Sra. Aparecida e o Cel. Reis na R. de Baixo. | O ministro Lobo, a Nossa Senhora Aparecida e o coronel Reis na rua de Baixo.
    Leio J. L. Gil e M. de Assis. Tomo vitamina C. Depois durmo. | Leio J L Gil e M de Assis. Tomo vitamina C. Depois durmo.
    Subiu 2 p.p., 5% a.a. no 2º tri. | Subiu dois pontos percentuais, cinco por cento ao ano no segundo trimestre.
    Prezado(a) aluno(a), os/as colegas e/ou amigos. | Prezado ou Prezada aluno ou aluna, os e as colegas e ou amigos.
    vc tb vai p/ casa c/ ela? blz, n sei. | você também vai para casa com ela? beleza, não sei.
    A M.ª Luz vive nos E.U.A. Antes viveu na U.E. | A Maria Luz vive nos Estados Unidos. Antes viveu na União Europeia.
    A fig. 2a mostra a 2a prova. | A figura dois a mostra a segunda prova.
  `,
  acronym: `
    O PIB e a ONU, o STF e o PT. | O PIB e a ONU, o S T F e o P T.
    O IBGE, a RAM e o MEC. | O I B G E, a RAM e o MEC.
  `,
  symbol: `
    Reis & Filhos © 2020 | Reis e Filhos copyright dois mil e vinte
    100 ± 5 | cem mais ou menos cinco
  `,
})
